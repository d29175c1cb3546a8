// SPDX-License-Identifier: Apache-2.0

// Runs whole statements.

import CSQLite

extension Connection {
    /// Runs a statement and discards its rows.
    public func execute(_ sql: SQL) throws(SQLiteError) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Runs a statement and calls a closure for each row, with the statement positioned on it.
    public func run(_ sql: SQL, row: (Statement) throws -> Void) throws {
        let statement = try prepare(sql)
        while try statement.step() {
            do {
                try row(statement)
            } catch {
                try statement.finish()
                throw error
            }
        }
    }

    /// Runs a statement and maps its rows.
    public func rows<T>(_ sql: SQL, _ row: (Statement) throws -> T) throws -> [T] {
        var rows: [T] = []
        try run(sql) { rows.append(try row($0)) }
        return rows
    }

    /// Maps the first row of a statement, or returns nil if it has no rows.
    public func first<T>(_ sql: SQL, _ row: (Statement) throws -> T) throws -> T? {
        let statement = try prepare(sql)
        guard try statement.step() else { return nil }
        let result = Result { try row(statement) }
        try statement.finish()
        return try result.get()
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    public var changes: Int {
        if let savedChangeCount { return savedChangeCount }
        return unsafe Int(sqlite3_changes64(handle))
    }

    /// How many rows have been changed since the connection was opened, including those changed by triggers.
    public var totalChanges: Int { unsafe Int(sqlite3_total_changes64(handle)) }

    public var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// A number that changes when another connection, of any process, commits.
    public var dataVersion: Int64 {
        get throws(SQLiteError) { try integer("PRAGMA data_version") }
    }

    /// A number that changes with each change of the schema by any connection.
    public var schemaVersion: Int64 {
        get throws(SQLiteError) { try integer("PRAGMA schema_version") }
    }

    public func tableExists(_ name: String) throws(SQLiteError) -> Bool {
        try integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = \(value: .text(name))") > 0
    }

    /// The first column of the first row as an integer, or 0.
    func integer(_ sql: SQL) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.int64(0) : 0
    }
}
