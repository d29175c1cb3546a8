// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import SQLiteStore
import Synchronization
import Testing

@Suite("Slow statements")
struct SlowStatementTests {
    private final class Told: Sendable {
        private let statements = Mutex<[SlowStatement]>([])

        func log(threshold: Duration, includesValues: Bool = false) -> SlowStatementLog {
            SlowStatementLog(threshold: threshold, includesValues: includesValues) { [self] statement in
                statements.withLock { $0.append(statement) }
            }
        }

        func takeAll() -> [SlowStatement] {
            statements.withLock { statements in
                defer { statements = [] }
                return statements
            }
        }
    }

    private func fetch(_ title: String, in logged: LoggedStore) throws {
        _ = try logged.coordinator.withContext { context in
            let predicate = try ObjectPredicate("title == %@", title)
            return try context.fetch(FetchRequest<ManagedObject>("Book", predicate: predicate)).count
        }
    }

    @Test("a slow statement is reported with plan and row count, and without values unless requested")
    func reading() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma", "Emma", "Persuasion")
            let told = Told()
            logged.store.slowStatementLog = told.log(threshold: .zero)
            try fetch("Emma", in: logged)
            let slow = try #require(told.takeAll().first { $0.sql.hasPrefix("SELECT") })
            #expect(slow.sql.contains("FROM ZBOOK AS t0 WHERE t0.ZTITLE = ?"))
            #expect(slow.plan.first?.contains("t0") == true)
            #expect((slow.rows, slow.values, slow.isRead) == (2, [], true))
            #expect(slow.duration > .zero)
        }
    }

    @Test("a slow statement is reported with its bound values if requested")
    func values() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma\n\"Woodhouse\"")
            let told = Told()
            logged.store.slowStatementLog = told.log(threshold: .zero, includesValues: true)
            // The SQL log doesn't show more because of that.
            let lines = try logged.lines(level: 2) { try fetch("Emma\n\"Woodhouse\"", in: logged) }
            let slow = try #require(told.takeAll().first { $0.sql.hasPrefix("SELECT") })
            #expect(slow.values == ["\"Emma\n\\\"Woodhouse\\\"\""])
            #expect(!lines.joined().contains("Woodhouse"))
        }
    }

    @Test("a slow change is reported without a row count, and change tracking still works")
    func writing() throws {
        try LoggedStore.with { logged in
            let author = try logged.insertAuthor("Austen")
            let told = Told()
            logged.store.slowStatementLog = told.log(threshold: .zero)
            try logged.coordinator.withContext { context in
                try context.object(with: author).setValue("Jane", forKey: "name")
                try context.save()
            }
            let slow = try #require(told.takeAll().first { $0.sql.hasPrefix("UPDATE ZAUTHOR") })
            #expect(!slow.plan.isEmpty && slow.rows == nil && !slow.isRead)
        }
    }

    @Test("statements below the threshold aren't reported, nor any after the log is removed")
    func threshold() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma")
            let told = Told()
            logged.store.slowStatementLog = told.log(threshold: .seconds(3_600))
            let before = logged.store.statistics
            try fetch("Emma", in: logged)
            #expect(told.takeAll() == [])
            #expect(logged.store.statistics.since(before).statements == 3)
            logged.store.slowStatementLog = told.log(threshold: .zero)
            logged.store.slowStatementLog = nil
            try fetch("Emma", in: logged)
            #expect(told.takeAll() == [])
        }
    }

    @Test("slow statements are reported along with the SQL log, and after it is switched off")
    func both() throws {
        try LoggedStore.with { logged in
            try logged.insertAuthor("Austen", books: "Emma")
            let told = Told()
            logged.store.slowStatementLog = told.log(threshold: .zero)
            #expect(try !logged.lines(level: 1) { try fetch("Emma", in: logged) }.isEmpty)
            #expect(!told.takeAll().isEmpty)
            try fetch("Emma", in: logged)
            #expect(!told.takeAll().isEmpty)
            #expect(logged.store.slowStatementLog?.threshold == .zero)
        }
    }
}
