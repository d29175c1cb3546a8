// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLiteDriver

@Suite("SQL fragments")
struct SQLTests {
    @Test("values are bound, names are quoted as needed, and fragments are spliced with their values")
    func interpolation() {
        let condition: SQL = "\(identifier: "order") = \(value: 7)"
        let sql: SQL =
            "SELECT \(identifier: "ZBOOK") FROM t WHERE \(condition) AND a = \(value: "x") -- \(literal: "it's")"
        #expect(sql.text == #"SELECT ZBOOK FROM t WHERE "order" = ? AND a = ? -- 'it''s'"#)
        #expect(sql.bindings == [7, "x"])
    }

    @Test(
        "an identifier is unquoted only if SQLite reads it as a name",
        arguments: [
            ("ZBOOK", "ZBOOK"), ("_a1", "_a1"), ("1a", "\"1a\""), ("", "\"\""), ("select", "\"select\""),
            ("a b", "\"a b\""), ("a\"; DROP TABLE x; --", "\"a\"\"; DROP TABLE x; --\""), ("Bücher", "\"Bücher\""),
            ("e\u{301}\"\u{301}", "\"e\u{301}\"\"\u{301}\""),
        ]
    )
    func identifiers(name: String, text: String) {
        #expect(SQL.identifier(name).text == text)
    }

    @Test("fragments are joined with a separator")
    func joining() {
        #expect([SQL]().joined(separator: ", ").isEmpty)
        let list = [1, 2, 3].map { SQL.value(.integer($0)) }.joined(separator: ", ")
        #expect(list == SQL(text: "?, ?, ?", bindings: [1, 2, 3]))
        #expect("a" + list == SQL(text: "a?, ?, ?", bindings: [1, 2, 3]))
    }

    @Test(
        "a literal evaluates to its value",
        arguments: [
            .null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-.infinity), .real(.infinity),
            .real(1e300),
            .text("it's \"quoted\"; -- \n"), .text(""), .text("'\u{301}'"), .blob([0, 1, 0xFF]),
            .blob([]),
        ] as [SQLValue]
    )
    func literals(value: SQLValue) throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.first("SELECT \(literal: value)") { $0.value(0) } == value)
    }

    @Test("NaN is written as NULL")
    func notANumber() {
        #expect(SQL.literal(.real(.nan)).text == "NULL")
    }

    @Test("table and column names may contain any character except NUL")
    func oddNames() throws {
        let connection = try Connection(path: ":memory:")
        for name in ["a\"b", "Größe", "select", "日本語", " ", "a.b", "[x]", "it's", "\\", "?1"] {
            try connection.execute("CREATE TABLE \(identifier: name) (\(identifier: name + "x") INTEGER)")
            try connection.execute("INSERT INTO \(identifier: name) (\(identifier: name + "x")) VALUES (\(value: 3))")
            #expect(try connection.tableExists(name))
            #expect(
                try connection.rows("SELECT \(identifier: name + "x") FROM \(identifier: name)") { $0.int64(0) } == [3]
            )
        }
    }

    @Test("SQL with a NUL character is refused, with its position")
    func nul() throws {
        let connection = try Connection(path: ":memory:")
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT \(identifier: "a\0b")") }
        #expect(error?.code == .misuse)
        #expect(error?.offset == 9)
        #expect(throws: SQLiteError.self) { try connection.executeScript("SELECT 1;\0SELECT 2") }
        #expect(throws: SQLiteError.self) { try Connection(path: "/tmp/a\0b", access: .create) }
    }
}
