// SPDX-License-Identifier: Apache-2.0

// Values that others wrote into columns, as seen by objects, property fetches and the check of a store.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Stored values")
struct StoredValueTests {
    /// The content of a column, and its value.
    struct Stored: Sendable, CustomStringConvertible {
        let attribute: String
        let sql: SQL
        let value: Value
        /// Whether a check reports that it isn't of the type.
        let isReported: Bool

        init(_ attribute: String, _ sql: SQL, _ value: Value, isReported: Bool? = nil) {
            (self.attribute, self.sql, self.value) = (attribute, sql, value)
            self.isReported = isReported ?? (value == .null)
        }

        var description: String { "\(attribute) = \(sql.text)" }
    }

    static let stored = [
        Stored("number", "7", 7), Stored("number", "'7'", 7), Stored("number", "2.5", 2, isReported: true),
        Stored("number", "'abc'", .null), Stored("number", "x'37'", .null), Stored("number", "9e99", .null),
        Stored("number", "-9e999", .null), Stored("small", "70000", 70_000, isReported: true),
        Stored("small", "-7", -7),
        Stored("flag", "1", .bool(true)), Stored("flag", "0", .bool(false)), Stored("flag", "2", .bool(true)),
        Stored("flag", "'yes'", .null), Stored("flag", "x'01'", .null),
        Stored("ratio", "1", .double(1)), Stored("ratio", "1.5", .double(1.5)),
        Stored("ratio", "9e999", .double(.infinity)), Stored("ratio", "'half'", .null), Stored("ratio", "x'31'", .null),
        Stored("day", "1", .date(Date(timeIntervalSinceReferenceDate: 1))),
        Stored("day", "0.5", .date(Date(timeIntervalSinceReferenceDate: 0.5))),
        Stored("day", "1e300", .date(Date(timeIntervalSinceReferenceDate: 1e300))),
        Stored("day", "9e999", .null), Stored("day", "-9e999", .null), Stored("day", "'today'", .null),
        Stored("day", "x'31'", .null),
        Stored("text", "'seven'", "seven"), Stored("text", "7", "7"), Stored("text", "x'C3A4'", "ä", isReported: true),
        Stored("text", "'ä\u{1F30B}'", "ä\u{1F30B}"),
        Stored("text", "CAST(x'41FF42' AS TEXT)", "A\u{FFFD}B", isReported: false),
        Stored("link", "'a:b'", .uri("a:b")),
        Stored("id", "x'00'", .null), Stored("id", "5", .null), Stored("id", "'none'", .null),
        Stored("id", "'6F9619FF-8B86-4D01-B42D-00CF4FC964FF'", id),
        Stored("id", "x'6F9619FF8B864D01B42D00CF4FC964FF'", id),
        Stored("bytes", "x'0102'", .data(Data([1, 2]))), Stored("bytes", "'ab'", .data(Data([97, 98]))),
        Stored("bytes", "7", .null),
        Stored("amount", "7", .decimal(7)), Stored("amount", "0.5", .decimal(Decimal(string: "0.5") ?? 0)),
        Stored("amount", "'much'", .null), Stored("amount", "9e999", .null),
    ]

    private static let id = UUID(uuidString: "6F9619FF-8B86-4D01-B42D-00CF4FC964FF").map(Value.uuid) ?? .null

    private static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Thing") {
                    Attribute("number", .int64).optional()
                    Attribute("flag", .bool).optional()
                    Attribute("small", .int16).optional()
                    Attribute("ratio", .double).optional()
                    Attribute("day", .date).optional()
                    Attribute("text", .string).optional()
                    Attribute("link", .uri).optional()
                    Attribute("id", .uuid).optional()
                    Attribute("bytes", .binary).optional()
                    Attribute("amount", .decimal).optional()
                }
            }
        )
    }

    @Test("an infinite date is refused instead of being stored", arguments: [Double.infinity, -.infinity])
    func infiniteDates(seconds: Double) throws {
        try StoreCopy.inFolder { folder in
            let model = try Self.model.get()
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/Things.sqlite", model: model))
            #expect(throws: GraphError.self) {
                try coordinator.withContext { context in
                    let date = Value.date(Date(timeIntervalSinceReferenceDate: seconds))
                    try context.insert("Thing").setValue(date, forKey: "day")
                    try context.save()
                }
            }
        }
    }

    @Test("a stored value reads the same everywhere, and as nil if it isn't of the type", arguments: stored)
    func reading(stored: Stored) throws {
        try StoreCopy.inFolder { folder in
            let model = try Self.model.get()
            let store = try SQLiteStore(path: folder + "/Things.sqlite", model: model)
            let coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 0)
            try coordinator.add(store)
            let id = try coordinator.withContext { context in
                let thing = try context.insert("Thing")
                try context.save()
                return thing.objectID
            }
            let column = "Z" + stored.attribute.uppercased()
            try Connection(path: folder + "/Things.sqlite").execute(
                "UPDATE ZTHING SET \(identifier: column) = \(stored.sql)"
            )
            let (value, rows) = try coordinator.withContext { context in
                var request = FetchRequest<ManagedObject>("Thing")
                request.propertiesToFetch = [ExpressionDescription(keyPath: stored.attribute)]
                let value = try context.existingObject(with: id).value(forKey: stored.attribute)
                return (value, try context.table(request).rows)
            }
            #expect(value == stored.value)
            #expect(rows == [[stored.value]])
            let page = try coordinator.read { try $0.rowPage(FetchRequest<ManagedObject>("Thing")) }
            let attribute = try #require(id.entity.attribute(named: stored.attribute))
            #expect(page?.map { $0.value(attribute.slot) } == [stored.value])
            let isReported = try store.check().contains { $0.code == .value && $0.property == stored.attribute }
            #expect(isReported == stored.isReported)
        }
    }
}
