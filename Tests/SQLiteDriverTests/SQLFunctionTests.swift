// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SQLiteDriver

@Suite("Functions written in Swift")
struct SQLFunctionTests {
    private struct Failure: Error, CustomStringConvertible {
        var description: String { "no luck" }
    }

    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:")
    }

    @Test(
        "a function receives its arguments unchanged and can return any value",
        arguments: [
            .null, .integer(-7), .real(2.5), .text(""), .text("a\0ü"), .blob([]), .blob([0, 255]),
        ] as [SQLValue]
    )
    func arguments(value: SQLValue) throws {
        try connection.define(function: "same", arguments: 1) { arguments in
            #expect(arguments.count == 1)
            #expect(arguments.isNull(0) == (value == .null))
            switch value {
            case .integer(let number): #expect(arguments.int64(0) == number)
            case .real(let number): #expect(arguments.double(0) == number)
            case .text(let text):
                #expect(arguments.string(0) == text)
                #expect(arguments.withUTF8(0) { $0.count } == text.utf8.count)
            case .blob(let bytes): #expect(arguments.bytes(0) == bytes)
            case .null: #expect(arguments.string(0) == "" && arguments.bytes(0) == [])
            }
            return arguments.value(0)
        }
        #expect(try connection.first("SELECT same(\(value: value))") { $0.value(0) } == value)
    }

    @Test("a function may accept any number of arguments, and overloads differ by argument count")
    func anyNumber() throws {
        try connection.define(function: "f", arguments: nil) { .integer(Int64($0.count)) }
        try connection.define(function: "f", arguments: 1) { _ in "one" }
        #expect(try connection.first("SELECT f(), f(0), f(1, 2, 3)") { $0.values } == [0, "one", 3])
        #expect(throws: SQLiteError.self) { try connection.define(function: "a\0b", arguments: 0) { _ in nil } }
        let name = String(repeating: "f", count: 300)
        #expect(throws: SQLiteError.self) { try connection.define(function: name, arguments: 0) { _ in nil } }
        #expect(throws: SQLiteError.self) { try connection.define(function: "f", arguments: 1000) { _ in nil } }
    }

    @Test("an error that a function throws is the error of its statement")
    func errors() throws {
        try connection.define(function: "fails", arguments: 0) { _ in throw Failure() }
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT fails()") }
        #expect(error?.code == .error)
        #expect(error?.message == "no luck")
        #expect(error?.thrown?.error is Failure)
        // The error belongs to that statement alone.
        let other = #expect(throws: SQLiteError.self) { try connection.execute("SELECT abs(-9223372036854775808)") }
        #expect(other != nil && other?.thrown == nil)
        try connection.defineAggregate(
            "failing",
            arguments: 1,
            initial: { 0 },
            step: { _, _ in throw Failure() },
            result: { _ in .null }
        )
        let aggregate = #expect(throws: SQLiteError.self) { try connection.execute("SELECT failing(1)") }
        #expect(aggregate?.thrown?.error is Failure)
        try connection.define(function: "stops", arguments: 0) { _ in
            throw SQLiteError(code: .tooBig, message: "a pattern is too long")
        }
        let known = #expect(throws: SQLiteError.self) { try connection.execute("SELECT stops()") }
        #expect(known?.code == .tooBig)
        #expect(known?.message == "a pattern is too long")
    }

    @Test("a value that is derived from a constant argument is computed once for all rows")
    func cached() throws {
        let made = Box(0)
        try connection.define(function: "matches", arguments: 2) { arguments in
            let pattern = arguments.cached(0) {
                made.value += 1
                return arguments.string(0).uppercased()
            }
            return .integer(pattern == arguments.string(1) ? 1 : 0)
        }
        let sql: SQL = "SELECT sum(matches(\(value: "a"), column1)) FROM (VALUES ('A'), ('B'), ('A'))"
        #expect(try connection.first(sql) { $0.int64(0) } == 2)
        #expect(made.value == 1)
    }

    @Test("an aggregate has a state for each group, including an empty group")
    func aggregate() throws {
        try connection.defineAggregate("product", arguments: 1) {
            1.0
        } step: { product, row in
            product *= row.double(0)
        } result: {
            .real($0)
        }
        let sql: SQL = "SELECT product(column2) FROM (VALUES (1, 2), (1, 3), (2, 5)) GROUP BY column1 ORDER BY column1"
        #expect(try connection.rows(sql) { $0.double(0) } == [6, 5])
        #expect(try connection.first("SELECT product(1) WHERE 0") { $0.double(0) } == 1)
    }

    @Test("an error that an aggregate throws is the statement's error, and the aggregate's state is released")
    func aggregateErrors() throws {
        final class Token {}
        weak var token: Token?
        try connection.defineAggregate("fails", arguments: 1) { () -> Token in
            let made = Token()
            token = made
            return made
        } step: { _, row in
            if row.int64(0) == 2 { throw Failure() }
        } result: { _ in
            nil
        }
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT fails(column1) FROM (VALUES (1), (2))")
        }
        #expect(error?.message == "no luck")
        #expect(token == nil)
    }

    @Test("a custom collation orders text")
    func collation() throws {
        try connection.defineCollation("by_length") { $0.count - $1.count }
        let sql: SQL =
            "SELECT column1 FROM (VALUES ('ccc'), (''), ('bb'), ('a')) ORDER BY column1 COLLATE by_length DESC"
        #expect(try connection.rows(sql) { $0.string(0) } == ["ccc", "bb", "a", ""])
        #expect(throws: SQLiteError.self) { try connection.defineCollation("a\0b") { _, _ in 0 } }
    }

    @Test("closures are released when they are replaced and when the connection is closed")
    func lifetime() throws {
        final class Token {}
        weak var first: Token?
        weak var second: Token?
        do {
            let connection = try Connection(path: ":memory:")
            do {
                let (one, two) = (Token(), Token())
                (first, second) = (one, two)
                try connection.define(function: "f", arguments: 0) { _ in withExtendedLifetime(one) { 1 } }
                try connection.defineCollation("c") { _, _ in withExtendedLifetime(two) { 0 } }
            }
            #expect(first != nil && second != nil)
            try connection.define(function: "f", arguments: 0) { _ in 2 }
            #expect(first == nil)
            #expect(try connection.first("SELECT f()") { $0.int64(0) } == 2)
        }
        #expect(second == nil)
    }
}
