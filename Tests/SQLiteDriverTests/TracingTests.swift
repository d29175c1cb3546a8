// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@Suite("Tracing details")
struct TracingTests {
    private struct Event: Equatable, Sendable {
        let sql: String
        let bindings: [SQLValue?]
        let plan: [String]
        let isOnReader: Bool
        let returnsRows: Bool
    }

    private final class Events: Sendable {
        private let events = Mutex<[Event]>([])

        func add(_ event: TraceEvent, withPlan: Bool = false) {
            let event = Event(
                sql: event.sql,
                bindings: event.bindings,
                plan: withPlan ? event.plan().map(\.detail) : [],
                isOnReader: event.isOnReader,
                returnsRows: event.returnsRows
            )
            events.withLock { $0.append(event) }
        }

        func takeAll() -> [Event] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let database = try Database(path: folder + "/test.sqlite")
            try database.write { connection in
                try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
                try connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            }
            try database.read { _ in }
            try body(database)
        }
    }

    @Test("a trace contains all bound values, of any type and from any binding call")
    func bindings() throws {
        let connection = try Connection(path: ":memory:")
        let events = Events()
        connection.trace(.bindings) { events.add($0) }
        let statement = try connection.prepare("SELECT ?, ?, ?, ?, ?, ?, ?")
        try statement.bind([7, 1.5, "é", .blob([1, 2]), nil, nil, nil])
        try statement.bind(Double.nan, at: 2)
        try statement.bind(utf8: Array("ü".utf8).span, at: 6)
        try statement.bind(zeroBlob: 1 << 20, at: 7)
        while try statement.step() {}
        #expect(events.takeAll().map(\.bindings) == [[7, .null, "é", .blob([1, 2]), .null, "ü", nil]])
        try statement.clearBindings()
        try statement.bind("last", at: 3)
        statement.reset()
        while try statement.step() {}
        #expect(events.takeAll().map(\.bindings) == [[.null, .null, "last"]])
    }

    @Test("with a threshold, only executions that take as long are traced")
    func threshold() throws {
        try withDatabase { database in
            let events = Events()
            database.trace([], from: .seconds(60)) { events.add($0) }
            try database.read { try $0.run("SELECT x FROM t") { _ in } }
            #expect(events.takeAll().isEmpty)
            let long: SQL = """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT count(*) FROM n
                """
            database.trace([], from: .milliseconds(1)) { events.add($0) }
            try database.read { try $0.run(long) { _ in } }
            #expect(events.takeAll().count == 1)
            database.tracer = { events.add($0) }
            try database.read { try $0.run("SELECT x FROM t") { _ in } }
            #expect(events.takeAll().count == 1)
        }
    }

    @Test("a trace contains no bindings unless they are requested")
    func noDetails() throws {
        try withDatabase { database in
            let events = Events()
            database.trace([]) { events.add($0) }
            try database.read { try $0.run("SELECT x FROM t WHERE id = \(value: 1)") { _ in } }
            let event = Event(
                sql: "SELECT x FROM t WHERE id = ?",
                bindings: [],
                plan: [],
                isOnReader: true,
                returnsRows: true
            )
            #expect(events.takeAll() == [event])
        }
    }

    @Test("a trace contains the plans of queries and changes only, and plan requests aren't traced")
    func plans() throws {
        try withDatabase { database in
            let events = Events()
            database.trace([]) { events.add($0, withPlan: true) }
            let before = database.statementCount
            try database.read { try $0.run("SELECT x FROM t WHERE id = \(value: 1)") { _ in } }
            try database.write { connection in
                try connection.execute("UPDATE t SET x = 'd' WHERE id > \(value: 1)")
                _ = try connection.queryPlan(of: "SELECT 1")
            }
            let told = events.takeAll()
            #expect(told.map(\.sql).map { $0.prefix(6) } == ["SELECT", "BEGIN ", "UPDATE", "EXPLAI", "COMMIT"])
            #expect(told.map(\.plan.isEmpty) == [false, true, false, true, true])
            #expect(told[0].plan == ["SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"])
            #expect(told.map(\.isOnReader) == [true, false, false, false, false])
            #expect(database.statementCount - before == 5)
        }
    }

    @Test("everything that a reader connection runs is traced as run by a reader")
    func readers() throws {
        try withDatabase { database in
            let events = Events()
            database.trace([]) { events.add($0) }
            let snapshot = try database.snapshot()
            try snapshot.read { try $0.run("SELECT x FROM t") { _ in } }
            let told = events.takeAll()
            #expect(told.count > 4 && told.allSatisfy(\.isOnReader))
        }
    }

    @Test("the trace of a statement stopped at its deadline contains its plan")
    func pastDeadline() throws {
        let connection = try Connection(path: ":memory:")
        let events = Events()
        connection.trace([]) { events.add($0, withPlan: true) }
        let statement = try connection.prepare(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        )
        #expect(try statement.step())
        connection.deadline = .now
        #expect(throws: SQLiteError.self) { while try statement.step() {} }
        #expect(events.takeAll().map(\.plan.isEmpty) == [false])
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    }

    @Test("requesting plans doesn't change the count of changed rows")
    func changes() throws {
        try withDatabase { database in
            let changes = Mutex<[Int]>([])
            database.trace(.bindings) { event in _ = (event.plan(), event.plan()) }
            try database.write { connection in
                try connection.execute("UPDATE t SET x = 'd' WHERE id > \(value: 1)")
                changes.withLock { $0.append(connection.changes) }
                try connection.savepoint { try connection.execute("DELETE FROM t") }
                try connection.run("SELECT x FROM t") { _ in }
                changes.withLock { $0.append(connection.changes) }
                try connection.execute("DELETE FROM t")
                changes.withLock { $0.append(connection.changes) }
            }
            #expect(changes.withLock { $0 } == [2, 3, 0])
        }
    }

    @Test("statements of all connections are counted, traced or not")
    func count() throws {
        try withDatabase { database in
            let before = database.statementCount
            try database.read { try $0.run("SELECT x FROM t") { _ in } }
            try database.write { try $0.execute("DELETE FROM t") }
            #expect(database.statementCount - before == 4)
            let snapshot = try database.snapshot()
            let opened = database.statementCount
            try snapshot.read { try $0.run("SELECT x FROM t") { _ in } }
            #expect(database.statementCount - opened == 1)
        }
    }
}
