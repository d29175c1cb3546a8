// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import PropertyList
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Stores without a model")
struct StoredEntitiesTests {
    /// Makes the store of a model without the model itself, with the numbers of the entities and optionally version
    /// hashes by name, as Core Data stores them.
    private static func withStore(
        of model: Model,
        _ configuration: String? = nil,
        hashes: [String]? = nil,
        _ body: (_ path: String, _ open: (Model, String?) throws -> SQLiteStore) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            var options = SQLiteStoreOptions()
            options.configuration = configuration
            _ = try SQLiteStore(path: path, model: ManagedObjectModel(model), options: options)
            try forgetModel(path, hashes: hashes)
            try body(path) { model, configuration in
                var options = SQLiteStoreOptions()
                options.configuration = configuration
                return try SQLiteStore(path: path, model: ManagedObjectModel(model), options: options)
            }
        }
    }

    private static func forgetModel(_ path: String, hashes: [String]?) throws {
        let connection = try Connection(path: path)
        if try connection.tableExists("Z_MODELCACHE") { try connection.execute("DELETE FROM Z_MODELCACHE") }
        var head = try MetadataRow(connection)
        var entries = head.metadata.list.entries.filter { $0.key != StoredMetadata.hashesKey }.map {
            ($0.key, $0.value)
        }
        if let hashes {
            entries.removeAll { $0.0 == "NSStoreModelVersionHashes" }
            let list = hashes.map { ($0, PropertyListValue.data(Array(repeating: 7, count: 32))) }
            entries.append(("NSStoreModelVersionHashes", .dictionary(PropertyListDictionary(list))))
        }
        head.metadata.list = PropertyListDictionary(entries)
        try head.write(connection)
        // Entities of the persistent history aren't in any model.
        try connection.execute(
            "INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0)"
        )
    }

    private static func model(_ names: [String]) -> Model {
        Model(
            entities: names.map {
                Entity(name: $0, attributes: [Attribute(name: "name", type: .string, isOptional: true)])
            }
        )
    }

    private static let names = ["Author", "Location", "Photo", "Post", "Tag", "Visit"]

    @Test("a model with the same entities that lacks an attribute or a relationship is refused")
    func smaller() throws {
        func model(_ lacks: String? = nil) -> Model {
            Model {
                Entity("Country") {
                    Attribute("name", .string).optional()
                    if lacks != "flag" { Attribute("flag", .string).optional() }
                    if lacks != "continent" {
                        Relationship("continent", toOne: "Continent", inverse: "countries").optional()
                    }
                    if lacks != "rivers" { Relationship("rivers", toMany: "River", inverse: "countries").optional() }
                }
                Entity("Continent") {
                    Attribute("name", .string).optional()
                    if lacks != "continent" {
                        Relationship("countries", toMany: "Country", inverse: "continent").optional()
                    }
                }
                Entity("River") {
                    Attribute("name", .string).optional()
                    if lacks != "rivers" { Relationship("countries", toMany: "Country", inverse: "rivers").optional() }
                }
            }
        }
        try Self.withStore(of: model(), hashes: ["Country", "Continent", "River"]) { _, open throws in
            for (name, column) in [
                ("flag", "ZCOUNTRY.ZFLAG"), ("continent", "ZCOUNTRY.ZCONTINENT"), ("rivers", "the file has Z_"),
            ] {
                let error = #expect(throws: StoreError.self) { try open(model(name), nil) }
                #expect(
                    error?.code == .otherModel && error?.message.contains(column) == true,
                    "\(String(describing: error))"
                )
            }
            #expect(try open(model(), nil).check() == [])
        }
    }

    @Test(
        "only a model with exactly the store's entities is accepted",
        arguments: [false, true]
    )
    func exactly(hasHashes: Bool) throws {
        try Self.withStore(of: Self.model(Self.names), hashes: hasHashes ? Self.names : nil) { path, open throws in
            let cases: [([String], String)] = [
                (
                    ["Author", "Post"],
                    "The store has Location, Photo and 2 more entities that this model doesn't have."
                ),
                (Self.names.filter { $0 != "Post" }, "The store has the entity Post that this model doesn't have."),
                (
                    Self.names.filter { $0 != "Post" } + ["Note"],
                    "The store has the entity Post that this model doesn't have. This model has the entity Note that the store doesn't have."
                ),
                (
                    Self.names + ["Note", "Order"],
                    "This model has the entities Note and Order that the store doesn't have."
                ),
            ]
            for (names, message) in cases {
                let error = #expect(throws: StoreError.self) { try open(Self.model(names), nil) }
                #expect(error?.code == .otherModel && error?.message == message)
                #expect(error?.hint?.contains("the version of the model that it was written with") == true)
            }
            #expect(try open(Self.model(Self.names), nil).check() == [])
        }
    }

    @Test("a store with other version hashes is refused, and the message names the differing entities")
    func ownHashes() throws {
        try Self.withStore(of: Self.model(Self.names)) { path, open throws in
            let connection = try Connection(path: path)
            var head = try MetadataRow(connection)
            let list = Self.model(Self.names).versionHashes().sorted { $0.key < $1.key }
                .map { ($0.key, PropertyListValue.data($0.value.bytes)) }
            let entries = head.metadata.list.entries.map { ($0.key, $0.value) }
            head.metadata.list = PropertyListDictionary(
                entries + [(StoredMetadata.hashesKey, .dictionary(PropertyListDictionary(list)))]
            )
            try head.write(connection)
            var other = Self.model(Array(Self.names.dropLast()))
            other.entities[0].attributes[0].type = .date
            let error = #expect(throws: StoreError.self) { try open(other, nil) }
            #expect(
                error?.message == "The store has the entity Visit that this model doesn't have. "
                    + "The store has another version of the entity Author."
            )
            _ = try open(Self.model(Self.names), nil)
        }
    }

    @Test("the entities of one configuration are accepted next to a history", arguments: [false, true])
    func configuration(hasHashes: Bool) throws {
        var model = Self.model(["Left", "Right", "Other"])
        model.configurations = [Configuration(name: "Lefts", entityNames: ["Left"])]
        try Self.withStore(of: model, "Lefts", hashes: hasHashes ? ["Left"] : nil) { _, open throws in
            #expect(try open(model, "Lefts").configuration == "Lefts")
            let error = #expect(throws: StoreError.self) { try open(model, nil) }
            #expect(error?.message.contains("only the entities of the configuration “Lefts”") == true)
            var smaller = Self.model(["Right", "Other"])
            smaller.configurations = [Configuration(name: "Lefts", entityNames: ["Right"])]
            let other = #expect(throws: StoreError.self) { try open(smaller, "Lefts") }
            #expect(other?.message.hasPrefix("The store has the entity Left that this model doesn't have.") == true)
        }
        // A store of all entities also fits each configuration.
        try Self.withStore(of: model, hashes: hasHashes ? ["Left", "Right", "Other"] : nil) { _, open throws in
            #expect(try open(model, "Lefts").configuration == "Lefts")
        }
    }

    @Test("an entity that a migration renamed may have its former name in the store")
    func renamed() throws {
        try Self.withStore(of: Self.model(["Article", "Tag"]), hashes: ["Post", "Tag"]) { path, open throws in
            let connection = try Connection(path: path)
            try connection.execute("ALTER TABLE ZARTICLE RENAME TO ZPOST")
            var model = Self.model(["Post", "Tag"])
            #expect(throws: StoreError.self) { try open(model, nil) }
            model.entities[0].renamingIdentifier = "Article"
            _ = try open(model, nil)
            #expect(throws: StoreError.self) { try open(Self.model(["Article", "Tag"]), nil) }
        }
    }

    private static func hashes(_ path: String) throws -> [String: [UInt8]]? {
        try MetadataRow(Connection(path: path)).metadata.versionHashes
    }

    private enum Writing: CaseIterable {
        case save
        case batch
    }

    @Test(
        "says after the first save or batch which model it was written with, and keeps the hashes that it had",
        arguments: Writing.allCases,
        [false, true]
    )
    private func records(writing: Writing, hasHashes: Bool) throws {
        let model = Self.model(Self.names)
        try Self.withStore(of: model, hashes: hasHashes ? Self.names : nil) { path, open throws in
            let store = try open(model, nil)
            let coordinator = PersistentStoreCoordinator(model: store.model)
            try coordinator.add(store)
            // Reading, failing and finding out what would happen leave it as it is.
            _ = try coordinator.withContext { context in try context.count(FetchRequest<ManagedObject>("Post")) }
            var rehearsal = BatchInsertRequest("Post", rows: [["name": .string("x")]])
            rehearsal.isRehearsal = true
            _ = try coordinator.execute(rehearsal)
            #expect(try Self.hashes(path) == nil)
            for _ in 0..<2 {
                switch writing {
                case .save:
                    try coordinator.withContext { context in
                        _ = try context.insert("Post")
                        try context.save()
                    }
                case .batch: _ = try coordinator.execute(BatchInsertRequest("Post", rows: [["name": .string("x")]]))
                }
                #expect(try Self.hashes(path) == model.versionHashes().mapValues(\.bytes))
            }
            let metadata = try MetadataRow(Connection(path: path)).metadata
            #expect(metadata.hashedNames == (hasHashes ? Set(Self.names) : nil))
            var other = model
            other.entities[0].attributes[0].type = .date
            let error = #expect(throws: StoreError.self) { try open(other, nil) }
            #expect(error?.message == "The store has another version of the entity Author.")
            _ = try open(model, nil)
        }
    }

    @Test("a store that is only read stays unchanged")
    func readOnly() throws {
        try Self.withStore(of: Self.model(Self.names)) { path, _ throws in
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let store = try SQLiteStore(
                path: path,
                model: ManagedObjectModel(Self.model(Self.names)),
                options: options
            )
            let coordinator = PersistentStoreCoordinator(model: store.model)
            try coordinator.add(store)
            _ = try coordinator.withContext { context in try context.count(FetchRequest<ManagedObject>("Post")) }
            #expect(throws: GraphError.self) {
                try coordinator.withContext { context in
                    _ = try context.insert("Post")
                    try context.save()
                }
            }
            #expect(try Self.hashes(path) == nil)
        }
    }

    @Test(
        "a store of an application opens only with the model that wrote it",
        .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"),
        arguments: Turn.part(of: Corpus.stores)
    )
    func apps(path: String) throws {
        try StoreCopy.of(path) { path in
            guard let model = try? SQLiteStore.embeddedModel(path: path) else { return }
            try Self.forgetModel(path, hashes: nil)
            _ = try SQLiteStore(path: path, model: ManagedObjectModel(model))
            var larger = model
            // A configuration with all entities of the store would be taken for the store's.
            larger.configurations = []
            larger.entities.append(Entity(name: "NeverThere"))
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(path: path, model: ManagedObjectModel(larger))
            }
            #expect(error?.message == "This model has the entity NeverThere that the store doesn't have.")
            var smaller = model
            let led = Set(model.entities.flatMap(\.relationships).map(\.destinationName))
            // An entity that a migration renamed has two names in the store.
            guard
                let name = model.entities.filter({ $0.renamingIdentifier == nil }).map(\.name).first(where: { name in
                    !led.contains(name) && !model.entities.contains { $0.parentName == name }
                })
            else { return }
            smaller.entities.removeAll { $0.name == name }
            smaller.configurations = []
            smaller.fetchRequestTemplates = []
            guard let model = try? ManagedObjectModel(smaller) else { return }
            let refusal = #expect(throws: StoreError.self) { try SQLiteStore(path: path, model: model) }
            #expect(refusal?.message == "The store has the entity \(name) that this model doesn't have.")
        }
    }
}
