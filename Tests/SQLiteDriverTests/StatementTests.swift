// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLiteDriver

@Suite("Statements")
struct StatementTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:")
    }

    @Test(
        "a bound value is read back unchanged",
        arguments: [
            .null, .integer(.min), .integer(-1), .real(0.1), .real(-0.0), .real(.infinity), .text(""), .text("a\0b\0"),
            .text("日本語 🪨"), .blob([]), .blob([0]), .blob([0xFF, 0, 1]), .text(String(repeating: "x", count: 100_000)),
        ] as [SQLValue]
    )
    func roundTrip(value: SQLValue) throws {
        let statement = try connection.prepare("SELECT ? AS v")
        try statement.bind(value, at: 1)
        #expect(try statement.step())
        #expect(statement.value(0) == value)
        #expect(statement.isNull(0) == (value == .null))
        #expect(statement.columnName(0) == "v")
        switch value {
        case .text(let text):
            #expect(statement.columnType(0) == .text)
            #expect(statement.withUTF8(0) { $0.count } == text.utf8.count)
            #expect(statement.string(0) == text)
        case .blob(let bytes):
            #expect(statement.columnType(0) == .blob)
            #expect(statement.bytes(0) == bytes)
            #expect(statement.byteCount(0) == bytes.count)
        default: break
        }
        #expect(try !statement.step())
    }

    @Test("NaN is bound as NULL")
    func notANumber() throws {
        #expect(try connection.first("SELECT \(value: .real(.nan))") { $0.value(0) } == .null)
    }

    @Test("spans are bound and read in place")
    func spans() throws {
        let statement = try connection.prepare("SELECT ?, ?, typeof(?1), typeof(?2)")
        let bytes: [UInt8] = [104, 0, 105]
        try statement.bind(bytes.span, at: 1)
        try statement.bind(utf8: bytes.span, at: 2)
        #expect(try statement.step())
        #expect(statement.withBytes(0) { $0.count == 3 && $0[0] == 104 })
        #expect(statement.string(1) == "h\0i")
        #expect(statement.string(2) == "blob")
        #expect(statement.string(3) == "text")
    }

    @Test("a zero blob is bound with the requested size")
    func zeroBlob() throws {
        let statement = try connection.prepare("SELECT ?")
        try statement.bind(zeroBlob: 1000, at: 1)
        #expect(try statement.step())
        #expect(statement.bytes(0) == Array(repeating: 0, count: 1000))
    }

    @Test("invalid UTF-8 in text is repaired")
    func repaired() throws {
        #expect(try connection.first("SELECT CAST(x'61FF62' AS TEXT)") { $0.string(0) } == "a\u{FFFD}b")
    }

    @Test("a missing column reads as NULL, and binding a missing parameter is an error")
    func range() throws {
        let statement = try connection.prepare("SELECT ?")
        #expect(throws: SQLiteError.self) { try statement.bind(1, at: 2) }
        #expect(throws: SQLiteError.self) { try statement.bind(1, at: 0) }
        #expect(try statement.step())
        #expect(statement.value(1) == .null)
        #expect(statement.value(-1) == .null)
        #expect(statement.string(7) == "")
        #expect(statement.bytes(7) == [])
    }

    @Test("the number of bound values must match the number of parameters", arguments: [0, 1, 3])
    func bindingCount(count: Int) throws {
        let sql = SQL(text: "SELECT ?, ?", bindings: Array(repeating: 1, count: count))
        let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
        #expect(error?.code == .range)
        #expect(error?.message == "the statement has 2 parameters, not \(count)")
    }

    @Test("a statement with remaining rows refuses bindings and stays on its row")
    func running() throws {
        let statement = try connection.prepare("SELECT 5 WHERE ? UNION ALL SELECT 6")
        try statement.bind(1, at: 1)
        #expect(try statement.step())
        let error = #expect(throws: SQLiteError.self) { try statement.bind(2, at: 1) }
        #expect(error?.code == .misuse)
        #expect(statement.int64(0) == 5)
        statement.reset()
        try statement.bind(0, at: 1)
        #expect(try statement.step())
        #expect(statement.int64(0) == 6)
    }

    @Test("a finished statement doesn't restart until it is reset")
    func atTheEnd() throws {
        try connection.executeScript("CREATE TABLE t (a); -- and so on\n;;INSERT INTO t VALUES (1);\n")
        let statement = try connection.prepare("INSERT INTO t VALUES (2)")
        #expect(try !statement.step())
        #expect(try !statement.step())
        #expect(try connection.first("SELECT count(*) FROM t") { $0.int64(0) } == 2)
        statement.reset()
        #expect(try !statement.step())
        #expect(try connection.first("SELECT count(*) FROM t") { $0.int64(0) } == 3)
        #expect(connection.lastInsertedRowID == 3)
        #expect(connection.changes == 1)
        #expect(connection.totalChanges == 3)
    }

    @Test("bindings are cleared when a cached statement is reused")
    func clearedBindings() throws {
        var statement: Statement? = try connection.prepare("SELECT ?")
        try statement?.bind("secret", at: 1)
        #expect(statement?.expandedSQL == "SELECT 'secret'")
        statement = nil
        #expect(try connection.prepare("SELECT ?").expandedSQL == "SELECT NULL")
        #expect(connection.cachedStatementCount == 1)
    }

    @Test("a statement in use is not reused")
    func nested() throws {
        var pairs: [[Int64]] = []
        let sql: SQL = "WITH n (i) AS (VALUES (1), (2)) SELECT i FROM n"
        try connection.run(sql) { outer in
            try connection.run(sql) { inner in pairs.append([outer.int64(0), inner.int64(0)]) }
        }
        #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2]])
        #expect(connection.cachedStatementCount == 1)
    }

    @Test("the statement cache keeps at most its limit, the most recently used statements", arguments: [0, 1, 4])
    func cacheBound(limit: Int) throws {
        var options = Connection.Options()
        options.statementCacheLimit = limit
        let connection = try Connection(path: ":memory:", options: options)
        for number in 0..<20 {
            for _ in 0..<2 { try connection.execute(SQL(text: "SELECT \(number)")) }
            try connection.execute("SELECT 0")
            #expect(connection.cachedStatementCount <= limit)
        }
        #expect(connection.cachedStatementCount == limit)
        if limit > 1 {
            #expect(connection.cache.checkOut("SELECT 0") != nil)
            #expect(connection.cache.checkOut("SELECT 19") != nil)
            #expect(connection.cache.checkOut("SELECT 1") == nil)
        }
    }

    @Test("if all cached statements are in use, a new one is prepared and not cached")
    func cacheInUse() throws {
        var options = Connection.Options()
        options.statementCacheLimit = 1
        let connection = try Connection(path: ":memory:", options: options)
        let first = try connection.prepare("SELECT 1")
        let second = try connection.prepare("SELECT 2")
        #expect(try first.step() && second.step())
        #expect(second.int64(0) == 2)
        #expect(connection.cachedStatementCount == 1)
    }

    @Test(
        "text that is not exactly one statement is refused",
        arguments: ["", " ;", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; x"]
    )
    func oneStatement(text: String) throws {
        let error = #expect(throws: SQLiteError.self) { try connection.prepare(text) }
        #expect(error?.code == .misuse)
    }

    @Test("a statement may end in semicolons and whitespace")
    func trailing() throws {
        #expect(try connection.prepare("SELECT 1 ; \n\t;").step())
    }

    @Test("an SQL error contains its message and position")
    func syntaxError() throws {
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT 'é', nope FROM sqlite_schema") }
        #expect(error?.code == .error)
        #expect(error?.message == "no such column: nope")
        #expect(error?.offset == 13)
        #expect(error?.sql == "SELECT 'é', nope FROM sqlite_schema")
        let text = "no such column: nope (SQLite 1) in: SELECT 'é', nope FROM sqlite_schema (at byte 13)"
        #expect(error?.description == text)
        let script = #expect(throws: SQLiteError.self) { try connection.executeScript("SELECT 1; SELECT nope") }
        #expect(script?.offset == 17)
    }

    @Test("a string in double quotes is not read as text")
    func doubleQuotes() throws {
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"nope\"") }
    }

    @Test("running a script takes time linear in its length")
    func longScript() throws {
        let count = 20_000
        let lines = String(repeating: "INSERT INTO t VALUES (1);\n", count: count)
        try connection.executeScript("CREATE TABLE t (a);" + "BEGIN;" + lines + "COMMIT;")
        #expect(try connection.first("SELECT count(*) FROM t") { $0.int64(0) } == Int64(count))
    }

    @Test("a statement keeps its connection open")
    func lifetime() throws {
        var connection: Connection? = try Connection(path: ":memory:")
        let statement = try #require(try connection?.prepare("SELECT 1"))
        connection = nil
        #expect(try statement.step())
    }
}
