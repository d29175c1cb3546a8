// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import SQLiteDriver
import Testing

@testable import SQLiteStore

@Suite("The SQL log")
struct SQLLogTests {
    private static let secret = "Sense\n\"and\" Sensibility"

    private func fetch(_ logged: LoggedStore) throws {
        let found = try logged.coordinator.withContext { context in
            let predicate = ObjectPredicate.comparing(.keyPath("title"), .equal, .constant(.string(Self.secret)))
            return try context.fetch(FetchRequest<ManagedObject>("Book", predicate: predicate)).count
        }
        #expect(found == 1)
    }

    private func rename(_ objectID: ManagedObjectID, _ logged: LoggedStore) throws {
        try logged.coordinator.withContext { context in
            try context.object(with: objectID).setValue("Jane", forKey: "name")
            try context.save()
        }
    }

    private func fire(_ objectID: ManagedObjectID, _ logged: LoggedStore) throws {
        _ = try logged.coordinator.withContext { try $0.object(with: objectID).value(forKey: "name") }
    }

    @Test("a fetch logs statements and times, from level 2 rows, and at level 4 the plan")
    func fetching() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: Self.secret, "Emma")
            let lines = try (0...4).map { level in try logged.lines(level: level) { try fetch(logged) } }
            #expect(lines[0] == [])
            #expect(
                lines[1] == [
                    "CoreData: sql: SELECT", "CoreData: annotation: sql connection fetch time: 0.0000s",
                    "CoreData: annotation: total fetch execution time: 0.0000s for 1 rows.",
                ]
            )
            #expect(
                lines[2] == [
                    "CoreData: sql: BEGIN", "CoreData: annotation: sql execution time: 0.0000s",
                    "CoreData: sql: SELECT", "CoreData: annotation: sql connection fetch time: 0.0000s",
                    "CoreData: annotation: fetch with sql text 'SELECT' returned 1 rows",
                    "CoreData: sql: COMMIT", "CoreData: annotation: sql execution time: 0.0000s",
                    "CoreData: annotation: total fetch execution time: 0.0000s for 1 rows.",
                ]
            )
            #expect(lines[3].filter { !$0.contains("SQLite bind[") } == lines[2])
            #expect(lines[3].contains { $0.hasPrefix("CoreData: details: SQLite bind[0] = ") })
            #expect(lines[4].filter { !$0.contains("SQLite query plan: ") } == lines[3])
            #expect(lines[4].contains { $0.hasPrefix("CoreData: details: SQLite query plan: S") })
        }
    }

    @Test("a fired fault logs its entity, and from level 3 its ID")
    func faults() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            #expect(
                try logged.lines(level: 1) { try fire(author, logged) } == [
                    "CoreData: sql: SELECT", "CoreData: annotation: sql connection fetch time: 0.0000s",
                    "CoreData: annotation: fault fulfilled from database for : Author",
                ]
            )
            let lines = try logged.lines(level: 3) { try fire(author, logged) }
            #expect(lines.contains("CoreData: details: SQLite bind[0] = (int64)1"))
            #expect(
                lines.last
                    == "CoreData: annotation: fault fulfilled from database for : <x-coredata://STORE/Author/p1>"
            )
        }
    }

    @Test("several faults log their number, and a missing row is logged as not fulfilled")
    func severalFaults() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            let gone = try logged.store.permanentIDs(for: [author.entity])[0]
            let one = try logged.lines(level: 3) { _ = try logged.store.snapshots(of: [gone], at: nil) }
            let two = try logged.lines(level: 1) { _ = try logged.store.snapshots(of: [gone, author], at: nil) }
            let none = try logged.lines(level: 1) { _ = try logged.store.snapshots(of: [], at: nil) }
            #expect(
                one.last
                    == "CoreData: annotation: fault not fulfilled from database for : <x-coredata://STORE/Author/p2>"
            )
            #expect(two.last == "CoreData: annotation: 1 of 2 faults fulfilled from database.")
            #expect(none == [])
        }
    }

    @Test("a relationship fault logs the number of members")
    func relationships() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen", books: "Emma", "Persuasion")
            let other = try logged.insertAuthor("Eliot", books: "Romola")
            let books = try #require(author.entity.relationship(named: "books"))
            let store = logged.store
            #expect(
                try logged.lines(level: 1) { _ = try store.members(of: books, owners: [author], at: nil) }.last == """
                    CoreData: annotation: to-many relationship fault "books" for objectID Author fulfilled from database.  \
                    Got 2 rows
                    """
            )
            let many = "CoreData: annotation: Prefetching with key 'books' for 2 objects.  Got 3 rows."
            #expect(
                try logged.lines(level: 1) { _ = try store.members(of: books, owners: [author, other], at: nil) }.last
                    == many
            )
            #expect(
                try logged.lines(level: 1) {
                    _ = try store.related(along: books, owners: [author, other], matching: nil, at: nil)
                }
                .last == many
            )
        }
    }

    @Test("a count logs its result")
    func counting() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma", "Persuasion")
            let lines = try logged.lines(level: 1) {
                _ = try logged.coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Book")) }
            }
            #expect(
                lines.last == "CoreData: annotation: total count request execution time: 0.0000s for count of 2."
            )
        }
    }

    @Test("a save logs its transaction, and its values only from level 3")
    func saving() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            let lines = try logged.lines(level: 1) { try rename(author, logged) }
            #expect(
                lines.suffix(7) == [
                    "CoreData: sql: BEGIN IMMEDIATE", "CoreData: annotation: sql execution time: 0.0000s",
                    "CoreData: sql: UPDATE ZAUTHOR", "CoreData: annotation: sql execution time: 0.0000s",
                    "CoreData: sql: COMMIT", "CoreData: annotation: sql execution time: 0.0000s",
                    "CoreData: annotation: total save execution time: 0.0000s for 0 inserted, 1 updated, 0 deleted.",
                ]
            )
            let other = try logged.insertAuthor("Eliot")
            let details = try logged.lines(level: 3) {
                try logged.coordinator.withContext { context in
                    try context.object(with: other).setValue("George", forKey: "name")
                    try context.save()
                }
            }
            #expect(details.contains("CoreData: sql: SAVEPOINT s"))
            #expect(details.contains("CoreData: details: SQLite bind[0] = \"George\""))
        }
    }

    @Test("a conflict and a failed statement are logged with the reason, without values")
    func failures() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen")
            let lines = logged.lines(level: 1) {
                #expect(throws: GraphError.self) { try logged.insertAuthor("Austen") }
            }
            #expect(lines.contains("CoreData: error: (2067) UNIQUE constraint failed: ZAUTHOR.ZNAME"))
            #expect(
                lines.last == """
                    CoreData: annotation: total save execution time: 0.0000s, in conflict with what is in the database.
                    """
            )
            #expect(!lines.joined().contains("Austen"))
        }
    }

    @Test("a batch logs the number of objects")
    func batches() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma", "Persuasion")
            let lines = try logged.lines(level: 1) {
                var request = BatchUpdateRequest("Book")
                request.propertiesToUpdate = ["pages": .constant(300)]
                try logged.coordinator.execute(request)
            }
            #expect(lines.last == "CoreData: annotation: total batch execution time: 0.0000s for 2 rows.")
        }
    }

    @Test("values and keys are logged only from level 3, each in one line", arguments: 1...4)
    func values(level: Int) throws {
        try LoggedStore.with { logged in
            let lines = try logged.lines(level: level) {
                let author = try logged.insertAuthor("Sekretär", books: Self.secret)
                try fire(author, logged)
                try fetch(logged)
                try rename(author, logged)
            }
            #expect(lines.allSatisfy { $0.hasPrefix("CoreData: ") && !$0.contains("\n") })
            let text = lines.joined(separator: "\n")
            for value in ["Sekretär", "Sensibility", "Jane", "x-coredata"] {
                #expect(text.contains(value) == (level >= 3), "\(value)")
            }
            #expect(text.contains(#"= "Sense\n\"and\" Sensibility""#) == (level >= 3))
        }
    }

    @Test("the log is switched at run time, and logs nothing when off")
    func switching() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            #expect(logged.store.sqlLog.level == 0)
            #expect(logged.store.database.tracer == nil)
            let first = LoggedStore.Log()
            logged.store.sqlLog = SQLLog(level: 9) { first.add($0) }
            #expect(logged.store.sqlLog.level == 4)
            try fire(author, logged)
            #expect(first.takeAll().count > 3)
            let second = LoggedStore.Log()
            logged.store.sqlLog = SQLLog(level: 1) { second.add($0) }
            try fire(author, logged)
            #expect(first.takeAll() == [])
            #expect(second.takeAll().count == 3)
            logged.store.sqlLog = SQLLog(level: -1) { second.add($0) }
            try fire(author, logged)
            #expect(second.takeAll() == [])
            #expect(logged.store.database.tracer == nil)
        }
    }

    @Test("the log can be switched during concurrent work, and each line is whole")
    func concurrency() async throws {
        try await LoggedStore.withAsync { logged in
            let author = try logged.insertAuthor("Austen", books: "Emma")
            let log = LoggedStore.Log()
            let before = logged.store.statistics
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for round in 0..<40 {
                            try fire(author, logged)
                            try logged.insertAuthor("\(task) \(round)")
                        }
                    }
                }
                group.addTask {
                    for round in 0..<200 {
                        logged.store.sqlLog = SQLLog(level: round % 5) { log.add($0) }
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            logged.store.sqlLog = .off
            #expect(log.takeAll().allSatisfy { $0.hasPrefix("CoreData: ") && !$0.contains("\n") })
            let done = logged.store.statistics.since(before)
            #expect((done.faults.count, done.saves.count, done.insertedObjects) == (120, 120, 120))
            try fire(author, logged)
            #expect(log.takeAll() == [])
        }
    }
}
