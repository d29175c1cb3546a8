// SPDX-License-Identifier: Apache-2.0

// The effect of a new object on a stored one with the same unique values: set values count, whatever they are and
// however they were set.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Upserts")
struct UpsertTests {
    /// How the new object is saved.
    enum Way: CaseIterable, CustomTestStringConvertible {
        case save, batch, draft, child, grandchild, archive, redo

        var testDescription: String { "\(self)" }
    }

    private static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Product") {
                    Attribute("code", .string)
                    Attribute("stock", .int64).optional().default(5)
                    Attribute("label", .string).optional()
                    Relationship("maker", toOne: "Maker", inverse: "products").optional()
                    Relationship("marks", toMany: "Mark", inverse: "products").optional()
                    UniquenessConstraint("code")
                }
                Entity("Maker") {
                    Attribute("name", .string)
                    Relationship("products", toMany: "Product", inverse: "maker").optional()
                }
                Entity("Mark") {
                    Attribute("name", .string)
                    Relationship("products", toMany: "Product", inverse: "marks").optional()
                }
            }
        )
    }

    /// The stored values of the product.
    struct Shown: Equatable {
        var stock: Value = .integer(5)
        var label: Value = .null
        var maker: String?
        var marks: [String] = []
    }

    let coordinator: PersistentStoreCoordinator
    let ids: [String: ManagedObjectID]

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        ids = try coordinator.withContext { context in
            let others = try ["Maker", "Mark"].flatMap { entity in
                try ["one", "two"].map { name in
                    let object = try context.insert(entity)
                    try object.setValue(.string(name), forKey: "name")
                    return (entity + " " + name, object)
                }
            }
            try context.save()
            return Dictionary(uniqueKeysWithValues: others.map { ($0.0, $0.1.objectID) })
        }
    }

    private func reference(_ name: String) throws -> Value { try #require(ids[name]).value }

    /// Saves the stored product.
    private func store(_ values: [String: Value]) throws {
        try coordinator.execute(BatchInsertRequest("Product", rows: [values.merging(["code": "x"]) { $1 }]))
    }

    /// Saves a new product with the same code.
    private func upsert(_ values: [String: Value], _ policy: MergePolicy, by way: Way) throws {
        let row = values.merging(["code": "x"]) { $1 }
        let archive = try coordinator.withContext { (context) throws -> ContextArchive? in
            context.mergePolicy = policy
            context.undoManager = ObjectUndoManager()
            switch way {
            case .batch:
                try context.execute(Self.request(row))
                return nil
            case .save: try Self.set(row, of: context.insert("Product"))
            case .draft: try context.draft(Self.request(row))
            case .child:
                try context.withChild { child in
                    try child.draft(Self.request(row))
                    try child.save()
                }
            case .grandchild:
                // The parent inserts the object, and a child finds it there and sets its values.
                try context.withChild { child in
                    let product = try child.insert("Product").objectID
                    try child.withChild { grandchild in
                        try Self.set(row, of: grandchild.existingObject(with: product))
                        try grandchild.save()
                    }
                    try child.save()
                }
            case .archive:
                try context.draft(Self.request(row))
                return try context.archive()
            case .redo:
                try context.draft(Self.request(row))
                try context.undo()
                try context.redo()
            }
            try context.save()
            return nil
        }
        guard let archive else { return }
        try coordinator.withContext { (context) throws in
            context.mergePolicy = policy
            context.undoManager = ObjectUndoManager()
            try context.restore(ContextArchive(bytes: archive.bytes))
            try context.save()
        }
    }

    private static func request(_ row: [String: Value]) -> BatchInsertRequest {
        BatchInsertRequest("Product", rows: [row])
    }

    private static func set(_ row: [String: Value], of product: ManagedObject) throws {
        guard let context = product.context else { return }
        for (name, value) in row.sorted(by: { $0.key < $1.key }) {
            func object(_ value: Value) -> ManagedObject? {
                guard case .reference(let reference) = value else { return nil }
                return context.objectID(forURI: reference.uri).map(context.object(with:))
            }
            switch (product.entity.relationship(named: name), value) {
            case (nil, _): try product.setValue(value, forKey: name)
            case (let relationship?, .array(let members)):
                try product.setObjects(members.compactMap(object), of: relationship)
            case (let relationship?, _): try product.setObject(object(value), of: relationship)
            }
        }
    }

    private func shown() throws -> Shown {
        try coordinator.withContext { context in
            let products = try context.fetch(FetchRequest<ManagedObject>("Product"))
            #expect(products.count == 1)
            let product = try #require(products.first)
            func names(_ relationship: String) throws -> [String] {
                try product.related(relationship).map { object in
                    guard case .string(let name) = try object.value(forKey: "name") else { return "" }
                    return name
                }
            }
            return Shown(
                stock: try product.value(forKey: "stock"),
                label: try product.value(forKey: "label"),
                maker: try names("maker").first,
                marks: try names("marks").sorted()
            )
        }
    }

    private func storeFull() throws {
        let marks: Value = .array([try reference("Mark one")])
        try store(["stock": 9, "label": "old", "maker": try reference("Maker one"), "marks": marks])
    }

    @Test("the object-trump policy saves set values, including defaults and nil", arguments: Way.allCases)
    func objectTrumpSet(way: Way) throws {
        try storeFull()
        let row: [String: Value] = ["stock": 5, "label": .null, "maker": .null, "marks": .array([])]
        try upsert(row, .mergeByPropertyObjectTrump, by: way)
        #expect(try shown() == Shown())
    }

    @Test("the object-trump policy keeps stored values that weren't set", arguments: Way.allCases)
    func objectTrumpUnset(way: Way) throws {
        try storeFull()
        try upsert([:], .mergeByPropertyObjectTrump, by: way)
        #expect(try shown() == Shown(stock: 9, label: "old", maker: "one", marks: ["one"]))
    }

    @Test("the object-trump policy replaces members that were set as a whole", arguments: Way.allCases)
    func objectTrumpMembers(way: Way) throws {
        try storeFull()
        let marks: Value = .array([try reference("Mark two")])
        try upsert(["marks": marks, "label": "new"], .mergeByPropertyObjectTrump, by: way)
        #expect(try shown() == Shown(stock: 9, label: "new", maker: "one", marks: ["two"]))
    }

    @Test("the store-trump policy keeps stored values, including defaults and nil", arguments: Way.allCases)
    func storeTrump(way: Way) throws {
        try store([:])
        let row: [String: Value] = ["stock": 7, "label": "new", "maker": try reference("Maker two")]
        try upsert(row, .mergeByPropertyStoreTrump, by: way)
        #expect(try shown() == Shown())
    }

    @Test("the overwrite policy saves all attributes, and the relationships that were set", arguments: Way.allCases)
    func overwrite(way: Way) throws {
        try storeFull()
        try upsert(["maker": .null], .overwrite, by: way)
        #expect(try shown() == Shown(marks: ["one"]))
    }

    @Test("the rollback policy leaves the stored object unchanged", arguments: Way.allCases)
    func rollback(way: Way) throws {
        try storeFull()
        try upsert(["stock": 5, "label": .null, "maker": .null], .rollback, by: way)
        #expect(try shown() == Shown(stock: 9, label: "old", maker: "one", marks: ["one"]))
    }

    @Test("a value that was set and undone counts as not set")
    func undone() throws {
        try storeFull()
        try coordinator.withContext { (context) throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.undoManager = ObjectUndoManager()
            let product = try context.insert("Product")
            try product.setValue("x", forKey: "code")
            try context.processPendingChanges()
            try Self.set(["stock": 5, "label": .null, "maker": .null, "marks": .array([])], of: product)
            try context.processPendingChanges()
            try context.undo()
            try context.save()
        }
        #expect(try shown() == Shown(stock: 9, label: "old", maker: "one", marks: ["one"]))
    }

    @Test("added members join the stored ones")
    func added() throws {
        try storeFull()
        try coordinator.withContext { (context) throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let product = try context.insert("Product")
            try product.setValue("x", forKey: "code")
            try product.relate("marks", context.object(with: try #require(ids["Mark two"])))
            try context.save()
        }
        #expect(try shown() == Shown(stock: 9, label: "old", maker: "one", marks: ["one", "two"]))
    }

    @Test("of two new objects, the first survives, and the policy chooses the values")
    func withinSave() throws {
        let expected: [(MergePolicy, Shown)] = [
            (.mergeByPropertyStoreTrump, Shown(stock: 7)), (.mergeByPropertyObjectTrump, Shown(label: "second")),
        ]
        for (policy, expected) in expected {
            try coordinator.withContext { (context) throws in
                context.mergePolicy = policy
                try Self.set(["code": "x", "stock": 7], of: context.insert("Product"))
                try Self.set(["code": "x", "stock": 5, "label": "second"], of: context.insert("Product"))
                try context.save()
            }
            #expect(try shown() == expected)
            try coordinator.withContext { (context) throws in
                for product in try context.fetch(FetchRequest<ManagedObject>("Product")) { context.delete(product) }
                try context.save()
            }
        }
    }
}
