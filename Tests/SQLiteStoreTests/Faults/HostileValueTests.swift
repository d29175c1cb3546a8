// SPDX-License-Identifier: Apache-2.0

// Hostile values in a store's file.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import PropertyList
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Hostile values in a file")
struct HostileValueTests {
    private static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Item") {
                    Attribute("value", .transformable(transformer: nil)).optional()
                    Attribute("number", .decimal).optional()
                    Attribute("day", .date).optional()
                    Relationship("list", toOne: "List", inverse: "items").optional()
                }
                Entity("List") {
                    Attribute("name", .string).optional()
                    Relationship("items", toMany: "Item", inverse: "list").optional().ordered()
                }
                Entity("Note") { Attribute("text", .string).optional() }
            }
        )
    }

    /// A store with a list of three items.
    private struct Lists {
        let store: SQLiteStore
        let list: ManagedObjectID
        let items: [ManagedObjectID]

        init(_ folder: String) throws {
            let model = try HostileValueTests.model.get()
            store = try SQLiteStore(path: folder + "/Store.sqlite", model: model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            (list, items) = try coordinator.withContext { context in
                let list = try context.insert("List")
                let items = try (0..<3).map { _ in try context.insert("Item") }
                try list.setObjects(items, of: list.relationship(named: "items"))
                try context.save()
                return (list.objectID, items.map(\.objectID))
            }
        }

        /// A coordinator with an empty cache.
        func coordinator() throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(model: try HostileValueTests.model.get())
            try coordinator.add(store)
            return coordinator
        }

        func run(_ statements: SQL...) throws {
            try store.database.write { connection in for sql in statements { try connection.execute(sql) } }
        }

        func value(_ name: String) throws -> Value? {
            let snapshot = try store.snapshots(of: [items[0]], at: nil)[0]
            return snapshot.flatMap { found in
                found.objectID.entity.attribute(named: name).map { found.row.attributes[$0.slot] }
            }
        }

        func members() throws -> [ManagedObjectID] {
            let relationship = try #require(list.entity.relationship(named: "items"))
            return try store.members(of: relationship, owners: [list], at: nil)[0]
        }
    }

    private static func withLists(_ body: (Lists) throws -> Void) throws {
        try Checkout.withFolder { try body(Lists($0)) }
    }

    @Test("rows with the greatest version can be updated repeatedly")
    func versions() throws {
        try Self.withLists { lists in
            try lists.run("UPDATE ZITEM SET Z_OPT = 9223372036854775807")
            for number in 1...3 {
                try lists.coordinator().withContext { context in
                    try context.existingObject(with: lists.items[0]).setValue(
                        .decimal(Decimal(number)),
                        forKey: "number"
                    )
                    try context.save()
                }
                #expect(try lists.value("number") == .decimal(Decimal(number)))
            }
        }
    }

    @Test(
        "members with arbitrary position numbers can be put in order again",
        arguments: [Int64.max, .min, .max - 1024, 0]
    )
    func places(number: Int64) throws {
        try Self.withLists { lists in
            let column = try #require(
                try lists.store.database.read { connection in
                    try connection.first("SELECT name FROM pragma_table_info('ZITEM') WHERE name LIKE 'Z_FOK%'") {
                        $0.string(0)
                    }
                }
            )
            for other in [Int64.min, 7, number] {
                try lists.run(
                    "UPDATE ZITEM SET \(identifier: column) = \(value: .integer(number))",
                    "UPDATE ZITEM SET \(identifier: column) = \(value: .integer(other)) WHERE Z_PK = 1"
                )
                // A member added through the inverse is the last, or is refused.
                do {
                    try lists.coordinator().withContext { context in
                        let item = try context.insert("Item")
                        let list = try context.existingObject(with: lists.list)
                        try item.setObject(list, of: item.relationship(named: "list"))
                        try context.save()
                    }
                } catch {
                    #expect(StoreError(in: error)?.code == .damaged)
                }
                let wanted = Array(try lists.members().reversed())
                try lists.coordinator().withContext { context in
                    let list = try context.existingObject(with: lists.list)
                    try list.setObjects(
                        wanted.map { try context.existingObject(with: $0) },
                        of: list.relationship(named: "items")
                    )
                    try context.save()
                }
                #expect(try lists.members() == wanted)
            }
        }
    }

    @Test("keys beyond the greatest are not issued")
    func keys() throws {
        try Self.withLists { lists in
            try lists.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807")
            let error = #expect(throws: GraphError.self) {
                try lists.coordinator().execute(BatchInsertRequest("Note", rows: [["text": .string("a")]]))
            }
            #expect(error.flatMap { StoreError(in: $0) }?.code == .noKeys)
            #expect(throws: GraphError.self) {
                try lists.coordinator().withContext { context in
                    try context.insert("Note")
                    try context.save()
                }
            }
        }
    }

    @Test("entities keep their stored numbers, and others get free ones")
    func numbers() throws {
        let numbers = EntityNumbers(try Self.model.get(), stored: ["List": 1, "Note": .max])
        #expect(numbers.entities.map { numbers[$0] } == [2, 1, .max])
    }

    /// An archive of lists, each of which contains the next one twice, and the last one the first.
    private static func archive(_ depth: Int, isLoop: Bool) -> [UInt8] {
        var builder = KeyedArchiveBuilder()
        let places = (0..<depth).map { _ in builder.reserve() }
        let end = isLoop ? places[0] : builder.add("end")
        for (place, next) in zip(places, places.dropFirst() + [end]) {
            builder.fill(place, class: ["NSArray", "NSObject"], [("NS.objects", [next, next])])
        }
        return builder.archive(root: places[0]).binary()
    }

    @Test(
        "an archive that contains itself or expands excessively is read as bytes",
        arguments: [(1, true), (3, true), (30, false), (99, false), (1000, false)]
    )
    func archives(depth: Int, isLoop: Bool) throws {
        try Self.withLists { lists in
            let bytes = Self.archive(depth, isLoop: isLoop)
            try lists.run("UPDATE ZITEM SET ZVALUE = \(value: .blob(bytes))")
            #expect(try lists.value("value") == .data(Data(bytes)))
            let small = Self.archive(5, isLoop: false)
            try lists.run("UPDATE ZITEM SET ZVALUE = \(value: .blob(small))")
            #expect(try lists.value("value") != .data(Data(small)))
        }
    }

    @Test(
        "lists, archives and models with changed bytes are read without a crash",
        arguments: SeededGenerator.seeds(4)
    )
    func mutations(seed: UInt64) throws {
        let value = Value.dictionary([
            "array": .array([.null, .bool(true), .integer(-7), .double(0.5), .string("ä"), .string("ä")]),
            "data": .data(Data([1, 2, 3])), "date": .date(Date(timeIntervalSinceReferenceDate: 1)),
            "decimal": .decimal(12.5), "reference": .reference(ObjectReference(uri: "x-coredata://a/B/p1")),
            "uri": .uri("https://example.org"), "uuid": .uuid(UUID()),
        ])
        let archive = TransformedValue.bytes(of: value)
        #expect(TransformedValue.value(of: archive) == value)
        let model = try Self.model.get()
        let sources = [archive, StoredMetadata(model).bytes, try model.model.compiled()]
        var random = SeededGenerator(seed: seed)
        for source in sources {
            for _ in 0..<150 {
                var bytes = source
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    // The trailer determines where everything else is.
                    let start = random.chance(50) ? 0 : bytes.count - 40
                    bytes[Int.random(in: start..<bytes.count, using: &random)] = .random(
                        in: .min ... .max,
                        using: &random
                    )
                }
                let read = TransformedValue.value(of: bytes)
                if read == read { #expect(TransformedValue.value(of: TransformedValue.bytes(of: read)) == read) }
                _ = try? StoredMetadata(parsing: bytes)?.values
                _ = try? ManagedObjectModel(Model(compiled: bytes))
            }
        }
    }

    @Test(
        "numeric and date columns with arbitrary content read as a value or nil",
        arguments: [
            "x''", "x'31653939393939393939393939393939393939'", "'1e-99999999999999999999'", "x'2D'", "x'FFFE'",
            "9e999",
            "-9e999", "1e300", "'NaN'", "zeroblob(100000)", "printf('%.*c', 100000, '9')", "9223372036854775807",
        ]
    )
    func numbers(sql: String) throws {
        try Self.withLists { lists in
            let value = SQL(text: sql)
            try lists.run("UPDATE ZITEM SET ZNUMBER = \(value), ZDAY = \(value)")
            for predicate in [
                "number > 1", "number == 5", "number IN {1, 2}", "day < now()", "number * 2 > day",
                "number.description != 'a'",
                "CAST(day, 'NSString') == '2001'", "CAST(number, 'NSString') == '1'",
            ] {
                guard let predicate = try? ObjectPredicate(predicate) else { continue }
                _ = try? lists.coordinator().withContext { context in
                    var request = FetchRequest<ManagedObject>("Item", predicate: predicate)
                    request.sortDescriptors = [ObjectSortDescriptor("number"), ObjectSortDescriptor("day")]
                    return try context.fetch(request).map { "\(try $0.value(forKey: "day"))" }
                }
            }
            let rows = try lists.store.snapshots(of: lists.items, at: nil)
            #expect(rows.count == 3)
            _ = try lists.store.check()
        }
    }
}

extension ManagedObject {
    fileprivate func relationship(named name: String) throws -> RelationshipDescription {
        try #require(objectID.entity.relationship(named: name))
    }
}
