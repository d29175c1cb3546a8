// SPDX-License-Identifier: Apache-2.0

// Compiles SQL text to statements.

import CSQLite

extension Connection {
    /// Prepares a statement, or reuses a cached one.
    public func prepare(_ text: String) throws(SQLiteError) -> Statement {
        if let compiled = cache.checkOut(text) { return Statement(compiled, of: self) }
        try Self.checkForNUL(text)
        let (compiled, end) = try compile(text, from: 0, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        guard let compiled else { throw .noStatement(text) }
        guard text.utf8.dropFirst(end).allSatisfy(Self.isBlank) else { throw .severalStatements(text, at: end) }
        cache.add(compiled)
        return Statement(compiled, of: self)
    }

    /// Prepares a statement and binds its values.
    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        return statement
    }

    /// Runs the statements of a text in order, without bindings. Their rows are discarded.
    public func executeScript(_ text: String) throws(SQLiteError) {
        try Self.checkForNUL(text)
        let size = text.utf8.count
        var start = 0
        while start < size {
            let (compiled, end) = try compile(text, from: start, flags: 0)
            start = end
            guard let compiled else { continue }
            let statement = Statement(compiled, of: self)
            while try statement.step() {}
        }
    }

    public var cachedStatementCount: Int { cache.count }

    /// Compiles the statement at an offset of a text without NUL characters, and returns where it ends.
    private func compile(
        _ text: String,
        from start: Int,
        flags: UInt32
    ) throws(SQLiteError) -> (CompiledStatement?, end: Int) {
        var compiled: OpaquePointer?
        var end = start
        // SQLite reads up to the terminating NUL character; given a length it would copy the rest of the text.
        let result = unsafe text.withCString { characters in
            var tail: UnsafePointer<CChar>?
            let result = unsafe sqlite3_prepare_v3(handle, characters + start, -1, flags, &compiled, &tail)
            if let tail = unsafe tail { end = unsafe tail - characters }
            return result
        }
        guard result == SQLITE_OK else {
            throw unsafe .latest(of: handle, result: result, sql: text, start: start)
        }
        guard let compiled = unsafe compiled else { return (nil, end) }
        return unsafe (CompiledStatement(compiled, text: text), end)
    }

    private static func checkForNUL(_ text: String) throws(SQLiteError) {
        if let nul = text.utf8.firstIndex(of: 0) {
            throw .nulInSQL(text, at: text.utf8.distance(from: text.utf8.startIndex, to: nul))
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C, UInt8(ascii: ";"):
            true
        default: false
        }
    }
}
