// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Migrations by example")
struct MigrationExampleTests {
    private static let shop = Model {
        Entity("Customer") {
            Attribute("name", .string)
            Attribute("email", .string).optional()
            Attribute("points", .int16).optional()
            Relationship("orders", toMany: "Order", inverse: "customer").optional()
        }
        Entity("Order") {
            Attribute("number", .int64)
            Attribute("note", .string).optional()
            Relationship("customer", toOne: "Customer", inverse: "orders").optional()
            Relationship("tags", toMany: "Tag", inverse: "orders").optional()
        }
        Entity("Tag") {
            Attribute("name", .string)
            Relationship("orders", toMany: "Order", inverse: "tags").optional()
        }
    }

    /// Ann with the orders 1 and 2, Ben with 3; 1 and 3 have both tags.
    private static func stores() throws -> MigratedStores {
        try MigratedStores(ManagedObjectModel(shop)) { coordinator in
            try coordinator.withContext { context in
                func insert(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
                    let object = try context.insert(entity)
                    for (key, value) in values { try object.setValue(value, forKey: key) }
                    return object
                }
                let ann = try insert("Customer", ["name": "Ann", "email": "a@x", "points": 3])
                let ben = try insert("Customer", ["name": "Ben", "email": "a@x"])
                let tags = try ["new", "paid"].map { try insert("Tag", ["name": .string($0)]) }
                for (number, customer) in [(1, ann), (2, ann), (3, ben)] {
                    let order = try insert("Order", ["number": .integer(Int64(number))])
                    try order.setObject(customer, forKey: "customer")
                    if number != 2 { try order.setObjects(tags, forKey: "tags") }
                }
                try context.save()
            }
        }
    }

    private func migrate(
        _ stores: MigratedStores,
        to model: ManagedObjectModel,
        as mode: MigrationMode = .complete
    ) throws -> MigrationReport.Stage {
        let migration = try ModelMigration(from: stores.model, to: model)
        return try stores.migrate(by: migration, as: mode).stages[0]
    }

    /// The values of a property, by the name or number of its object.
    private func values(_ property: String, _ content: Content, by key: String = "name") -> [Value: Value] {
        Dictionary(
            uniqueKeysWithValues: content.objects.values.compactMap { object in
                guard let name = object.values[key], let value = object.values[property] else { return nil }
                return (name, value)
            }
        )
    }

    private func changed(_ entity: String, _ change: (inout Entity) -> Void) throws -> ManagedObjectModel {
        var model = Self.shop
        let place = try #require(model.entities.firstIndex { $0.name == entity })
        change(&model.entities[place])
        return try ManagedObjectModel(model)
    }

    @Test("attributes and entities are added and renamed without writing a row")
    func inPlace() throws {
        var model = Self.shop
        model.entities[0].name = "Client"
        model.entities[0].renamingIdentifier = "Customer"
        model.entities[0].attributes[0] = Attribute("title", .string).renamed(from: "name")
        model.entities[0].attributes.append(Attribute("isNew", .bool).default(true))
        model.entities[0].attributes.append(Attribute("city", .string).optional())
        model.entities[1].relationships[0].destinationName = "Client"
        model.entities.append(Entity("Store") { Attribute("name", .string) })
        let stores = try Self.stores()
        let next = try ManagedObjectModel(model)
        let stage = try migrate(stores, to: next)
        #expect(stage.entities.map(\.outcome) == [.kept, .kept, .kept])
        #expect(stage.losses.isEmpty && stage.violations.isEmpty)
        try stores.expectSame(next)
        let content = try stores.content(next)
        #expect(values("isNew", content, by: "title") == ["Ann": true, "Ben": true])
        #expect(values("city", content, by: "title") == ["Ann": .null, "Ben": .null])
        #expect(values("points", content, by: "title") == ["Ann": 3, "Ben": .null])
    }

    @Test("a column that was added with a default value takes nil and other values")
    func defaults() throws {
        let stores = try Self.stores()
        let next = try changed("Customer") { $0.attributes.append(Attribute("rank", .int32).optional().default(7)) }
        _ = try migrate(stores, to: next)
        let coordinator = PersistentStoreCoordinator(model: next)
        try coordinator.add(SQLiteStore(path: stores.sqlite, model: next))
        try coordinator.withContext { context in
            let request = FetchRequest<ManagedObject>("Customer")
            #expect(try context.fetch(request).map { try $0.value(forKey: "rank") } == [7, 7])
            for (name, rank) in [("Cid", Value.null), ("Dee", 1)] {
                let customer = try context.insert("Customer")
                try customer.setValue(.string(name), forKey: "name")
                try customer.setValue(rank, forKey: "rank")
            }
            try context.save()
        }
        let content = try Content(SQLiteStore(path: stores.sqlite, model: next), next)
        #expect(values("rank", content) == ["Ann": 7, "Ben": 7, "Cid": .null, "Dee": 1])
    }

    @Test("open stores are migrated, and states that are held stay readable")
    func whileOpen() throws {
        let stores = try Self.stores()
        let next = try changed("Customer") { customer in
            customer.attributes[2] = Attribute("points", .string).default("none")
            customer.attributes.append(Attribute("rank", .int32).default(7))
        }
        let migration = try ModelMigration(from: stores.model, to: next)
        try stores.migrate(by: migration, as: .rehearsal, isOpen: true)
        try stores.migrate(by: migration, isOpen: true)
        try stores.expectSame(next)
        #expect(values("rank", try stores.content(next)) == ["Ann": 7, "Ben": 7])
    }

    @Test("an open store isn't migrated if that would lose something, and remains usable")
    func openRefused() throws {
        let stores = try Self.stores()
        let next = try changed("Customer") { $0.attributes.remove(at: 1) }
        let migration = try ModelMigration(from: stores.model, to: next)
        for store: any MigratingStore in [
            try SQLiteStore(path: stores.sqlite, model: stores.model),
            try AtomicStore(path: stores.xml, format: .xml, model: stores.model),
        ] {
            #expect(throws: (any Error).self) { try store.migrated(by: migration, as: .lossless) }
            let coordinator = PersistentStoreCoordinator(model: stores.model)
            try coordinator.add(store)
            try coordinator.withContext { context in
                try context.insert("Tag").setValue("last", forKey: "name")
                try context.save()
                #expect(try context.count(FetchRequest<ManagedObject>("Tag")) == 3)
            }
        }
    }

    @Test("a store in memory is migrated")
    func inMemory() throws {
        let model = try ManagedObjectModel(Self.shop)
        let store = InMemoryStore(model: model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try coordinator.withContext { context in
            try context.insert("Tag").setValue("new", forKey: "name")
            try context.save()
        }
        let next = try changed("Tag") { $0.attributes.append(Attribute("color", .string).default("red")) }
        let migrated = try store.migrated(by: ModelMigration(from: model, to: next), as: .lossless)
        let content = try Content(#require(migrated.store as? InMemoryStore), next)
        #expect(values("color", content) == ["new": "red"])
    }

    @Test("types are converted, and values that are lost are counted")
    func converted() throws {
        let stores = try Self.stores()
        let next = try changed("Customer") { customer in
            customer.attributes[2] = Attribute("points", .string).default("none")
            customer.attributes.remove(at: 1)
        }
        let stage = try migrate(stores, to: next)
        #expect(stage.entities.map(\.outcome) == [.rewritten, .kept, .kept])
        #expect(stage.entities[0].objectCount == 2)
        #expect(stage.losses.map { "\($0.entity).\($0.property) \($0.objectCount)" } == ["Customer.email 2"])
        try stores.expectSame(next)
        #expect(values("points", try stores.content(next)) == ["Ann": "3", "Ben": "none"])
    }

    @Test("relationships become to-one and to-many, and keep what fits")
    func cardinalities() throws {
        let stores = try Self.stores()
        var model = Self.shop
        // Each customer keeps the first of its orders, each order gets several customers.
        model.entities[0].relationships[0].isToMany = false
        model.entities[1].relationships[0].isToMany = true
        model.entities[1].relationships[1].isToMany = false
        let next = try ManagedObjectModel(model)
        let stage = try migrate(stores, to: next)
        #expect(
            Set(stage.losses.map { "\($0.entity).\($0.property) \($0.objectCount)" })
                == ["Customer.orders 1", "Order.customer 1", "Order.tags 2", "Tag.orders 2"]
        )
        try stores.expectSame(next)
        let content = try stores.content(next)
        let related = content.objects.mapValues(\.related)
        #expect(related.filter { $0.key.hasPrefix("Customer") }.values.map { $0["orders"]?.count } == [1, 1])
        #expect(
            related.filter { $0.key.hasPrefix("Order") }.values.compactMap { $0["tags"]?.count }.sorted() == [0, 1, 1]
        )
    }

    @Test("a property that moves to a subentity leaves nothing in the rows of others")
    func movedDown() throws {
        func model(isBelow: Bool) throws -> ManagedObjectModel {
            let code = Attribute("code", .string).optional()
            let owner = Relationship("owner", toOne: "Owner", inverse: "items").optional()
            let declared = [
                Entity("Item") {
                    Attribute("name", .string)
                    if !isBelow { code }
                },
                Entity("Book", parent: "Item") {
                    if isBelow { code }
                    if isBelow { UniquenessConstraint("code") }
                },
                Entity("Disc", parent: "Item") {},
                Entity("Owner") {
                    Attribute("count", .int64).optional().derived("items.@count")
                    Relationship("items", toMany: isBelow ? "Book" : "Item", inverse: "owner").optional()
                },
            ]
            var model = Model { declared }
            model.entities[isBelow ? 1 : 0].relationships.append(owner)
            return try ManagedObjectModel(model)
        }
        let stores = try MigratedStores(model(isBelow: false)) { coordinator in
            try coordinator.withContext { context in
                let owner = try context.insert("Owner")
                for entity in ["Book", "Disc"] {
                    let item = try context.insert(entity)
                    try item.setValue("x", forKey: "name")
                    try item.setValue("same", forKey: "code")
                    try item.setObject(owner, forKey: "owner")
                }
                try context.save()
            }
        }
        let next = try model(isBelow: true)
        let report = try stores.migrate(by: ModelMigration(from: stores.model, to: next))
        #expect(!report.isLossless)
        try stores.expectSame(next)
        #expect(try stores.content(next).objects.first { $0.key.hasPrefix("Owner") }?.value.values["count"] == 1)
    }

    @Test("objects that a new constraint forbids are named, and the store stays as it was")
    func constraint() throws {
        let stores = try Self.stores()
        let before = try stores.content(stores.model)
        let next = try changed("Customer") { $0.uniquenessConstraints = [["email"]] }
        let stage = try migrate(stores, to: next, as: .rehearsal)
        #expect(stage.violations.map(\.isObstacle) == [true])
        let sentence = "2 objects of Customer break a rule of the new version: email must be unique."
        #expect(stage.violations.first?.sentence.hasPrefix(sentence) == true)
        let migration = try ModelMigration(from: stores.model, to: next)
        let error = #expect(throws: StoreError.self) { try SQLiteStore.migrate(path: stores.sqlite, by: migration) }
        #expect(error?.message.hasPrefix(sentence) == true)
        #expect(throws: StoreFileError.self) {
            try AtomicStore.migrate(path: stores.xml, format: .xml, by: migration)
        }
        try stores.expectSame(stores.model)
        #expect(try stores.content(stores.model) == before)
    }

    @Test("objects that break a new rule are migrated and reported")
    func rules() throws {
        let stores = try Self.stores()
        let next = try changed("Customer") { customer in
            customer.attributes[0] = Attribute("name", .string).length(1...2)
            customer.relationships[0].minimumCount = 2
        }
        let stage = try migrate(stores, to: next)
        let found = stage.violations.map { "\($0.properties.joined()) \($0.objectCount)" }
        #expect(found == ["name 2", "orders 1"])
        #expect(stage.violations.allSatisfy { !$0.isObstacle })
        try stores.expectSame(next)
        #expect(Set(values("points", try stores.content(next)).keys) == ["Ann", "Ben"])
    }

    @Test("a lossless migration refuses to lose values and objects")
    func lossless() throws {
        let stores = try Self.stores()
        let before = try stores.content(stores.model)
        let withoutNote = try changed("Order") { $0.attributes.removeAll { $0.name == "note" } }
        let withoutEmail = try changed("Customer") { $0.attributes.removeAll { $0.name == "email" } }
        for mode in [MigrationMode.lossless, .rehearsal] {
            let migration = try ModelMigration(from: stores.model, to: withoutEmail)
            if mode == .lossless {
                let error = #expect(throws: StoreError.self) {
                    try SQLiteStore.migrate(path: stores.sqlite, by: migration, as: mode)
                }
                #expect(error?.message == "The migration would lose Customer.email of 2 objects.")
            } else {
                _ = try stores.migrate(by: migration, as: mode)
            }
            try stores.expectSame(stores.model)
            #expect(try stores.content(stores.model) == before)
        }
        // No order has a note.
        _ = try migrate(stores, to: withoutNote, as: .lossless)
        try stores.expectSame(withoutNote)
    }

    @Test("what stands in the way is named, and versions between can lead round it")
    func stages() throws {
        let required = try changed("Customer") { $0.attributes[1] = Attribute("email", .string) }
        let error = #expect(throws: MigrationObstacles.self) {
            try ModelMigration(from: ManagedObjectModel(Self.shop), to: required)
        }
        #expect(error?.issues.map { "\($0.place.entity ?? "").\($0.place.property ?? "")" } == ["Customer.email"])
        let filled = try changed("Customer") { $0.attributes[1] = Attribute("email", .string).default("none") }
        let stores = try Self.stores()
        let report = try stores.migrate(by: ModelMigration(through: [stores.model, filled, required]))
        #expect(report.stages.count == 2)
        try stores.expectSame(required)
    }

    @Test("a store that is open can't be migrated")
    func open() throws {
        let stores = try Self.stores()
        let next = try changed("Tag") { $0.attributes.append(Attribute("color", .string).optional()) }
        let migration = try ModelMigration(from: stores.model, to: next)
        var options = SQLiteStoreOptions()
        options.busyTimeout = .zero
        let store = try SQLiteStore(path: stores.sqlite, model: stores.model)
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.migrate(path: stores.sqlite, by: migration, options: options)
        }
        #expect(error.map { [.locked, .busy].contains($0.code) } == true, "\(String(describing: error))")
        #expect(try Content(store, stores.model) == stores.content(stores.model))
    }
}
