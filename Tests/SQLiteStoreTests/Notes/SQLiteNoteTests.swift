// SPDX-License-Identifier: Apache-2.0

// Notes of saves in a SQLite store: their table, and concurrent savers.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Notes of saves")
struct SQLiteNoteTests {
    /// Saves a group with a note.
    private static func save(
        _ name: String,
        _ key: String,
        _ shop: Shop,
        content: @escaping @Sendable (SavedRows) throws -> [UInt8] = { _ in [1] }
    ) throws {
        try shop.coordinator.withContext { context in
            try context.insert("Group").setValue(.string(name), forKey: "name")
            try context.save { PendingNote(key: key, content: content) }
        }
    }

    private static let table: SQL = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'OUTCROP%' AND type = 'table'"

    @Test("notes are in a table of their own, which is created with the first note")
    func table() throws {
        try Shop.open(.unrecorded) { shop in
            let tables: SQL = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE '%OUTCROPNOTE%' ORDER BY name"
            let before = try shop.rows(tables)
            try shop.coordinator.withContext { context in
                try context.insert("Group").setValue("without", forKey: "name")
                try context.save()
            }
            #expect(try shop.rows(Self.table) == [["0"]])
            #expect(try shop.store.note("a") == nil)
            try Self.save("with", "a", shop) { _ in Array("text".utf8) }
            #expect(try shop.rows(Self.table) == [["1"]])
            let rows = try shop.rows("SELECT KEY, CAST(CONTENT AS TEXT), typeof(MADE) FROM OUTCROPNOTE")
            #expect(rows == [["a", "text", "real"]])
            #expect(try shop.rows(tables) == before)
            #expect(try shop.store.check() == [])
            let summary = try StoreSummary(path: shop.path)
            #expect(summary.entities.map(\.name) == ["Article", "Book", "Group", "Tag"])
        }
    }

    @Test("notes are found in a read-only store and after reopening")
    func reading() throws {
        try Shop.open { shop in
            try Self.save("one", "a", shop)
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let store = try SQLiteStore(path: shop.path, model: Shop.model.get(), options: options)
            #expect(try store.note("a")?.content == [1])
            #expect(try store.note("A") == nil)
        }
    }

    @Test("each successful save has its note, and failed ones have none, even in shared transactions")
    func together() async throws {
        struct Failure: Error {}
        try await Shop.open { shop in
            let saved = Shared<Set<String>>([])
            await withTaskGroup(of: Void.self) { group in
                for saver in 0..<6 {
                    group.addTask {
                        for round in 0..<30 {
                            // Some names and keys are already used, and some notes can't be made.
                            let name = round % 4 == 1 ? "\(round)" : "\(saver)/\(round)"
                            let key = round % 4 == 2 ? "key \(round)" : name
                            let isSaved: Void? = try? Self.save(name, key, shop) { _ in
                                if round % 5 == 4 { throw Failure() }
                                return Array(name.utf8)
                            }
                            if isSaved != nil { saved.withLock { _ = $0.insert(name) } }
                        }
                    }
                }
            }
            let names = saved.withLock { $0.sorted() }
            #expect(try shop.rows("SELECT ZNAME FROM ZGROUP ORDER BY ZNAME COLLATE BINARY").map { $0[0] } == names)
            let noted = try shop.rows("SELECT CAST(CONTENT AS TEXT) FROM OUTCROPNOTE").map { $0[0] }
            #expect(noted.sorted() == names)
            #expect(names.count > 30)
        }
    }

    @Test("of concurrent saves with the same key, exactly one succeeds")
    func oneKey() async throws {
        try await Shop.open { shop in
            let outcomes = Shared<[Bool]>([])
            await withTaskGroup(of: Void.self) { group in
                for saver in 0..<12 {
                    group.addTask {
                        do {
                            try Self.save("\(saver)", "key", shop) { _ in Array("\(saver)".utf8) }
                            outcomes.withLock { $0.append(true) }
                        } catch {
                            let isTaken = (error as? GraphError)?.code == .noteTaken
                            #expect(isTaken, "\(error)")
                            outcomes.withLock { $0.append(false) }
                        }
                    }
                }
            }
            #expect(outcomes.withLock { $0.count(where: \.self) } == 1)
            let names = try shop.rows("SELECT ZNAME FROM ZGROUP").map { $0[0] }
            #expect(try names == [shop.store.note("key").map { String(decoding: $0.content, as: UTF8.self) }])
        }
    }

    @Test("expired notes are removed gradually when others are written")
    func expiry() throws {
        try Shop.open { shop in
            func note(_ number: Int, keptSince: Double) throws {
                let made = Date(timeIntervalSinceReferenceDate: Double(number))
                let kept = Date(timeIntervalSinceReferenceDate: keptSince)
                try shop.coordinator.withContext { context in
                    try context.save { PendingNote(key: "\(number)", made: made, keptSince: kept) { _ in [] } }
                }
            }
            for number in 0..<50 { try note(number, keptSince: 0) }
            #expect(try shop.rows("SELECT count(*) FROM OUTCROPNOTE") == [["50"]])
            try note(50, keptSince: 45)
            #expect(try shop.rows("SELECT count(*), min(MADE) FROM OUTCROPNOTE") == [["31", "20.0"]])
            try note(51, keptSince: 45)
            try note(52, keptSince: 45)
            #expect(try shop.rows("SELECT count(*), min(MADE) FROM OUTCROPNOTE") == [["8", "45.0"]])
        }
    }

    @Test("a save without a note needs no statement for notes, and one with a note a few")
    func statements() throws {
        try Shop.open { shop in
            try Self.save("first", "first", shop)
            func count(_ save: () throws -> Void) throws -> Int {
                let before = shop.store.statistics
                try save()
                return shop.store.statistics.since(before).statements
            }
            _ = try count { try Self.save("second", "second", shop) }
            let noted = try count { try Self.save("third", "third", shop) }
            let plain = try count {
                try shop.coordinator.withContext { context in
                    try context.insert("Group").setValue("fourth", forKey: "name")
                    try context.save()
                }
            }
            // The additional statements: whether the table exists, twice; whether the key is used; the note; expired
            // notes.
            #expect(noted == plain + 5)
        }
    }
}
