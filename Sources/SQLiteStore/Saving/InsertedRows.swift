// SPDX-License-Identifier: Apache-2.0

// New rows on their way into their tables.

import SQLiteDriver

/// Inserts rows, several by one statement where they follow each other and have the same columns.
struct InsertedRows {
    private let connection: Connection
    private let statements: RowStatements
    private var table = ""
    private var columns: [String] = []
    /// Those of all rows that wait, one row after the other.
    private var values: [SQLValue] = []
    private var count = 0

    /// How many rows a statement has. Each number is a statement of its own, to be kept prepared.
    private static let sizes = [16, 4, 1]
    /// Fewer than SQLite takes.
    private static let mostBindings = 30_000

    init(_ connection: Connection, _ statements: RowStatements) {
        (self.connection, self.statements) = (connection, statements)
    }

    mutating func add(to table: String, _ columns: [String], _ values: [SQLValue]) throws {
        if table != self.table || columns != self.columns {
            try writeAll()
            (self.table, self.columns) = (table, columns)
        }
        self.values += values
        count += 1
        if count >= Self.sizes[0] { try writeAll() }
    }

    /// Writes what waits.
    mutating func writeAll() throws {
        var start = 0
        for size in Self.sizes where size == 1 || size * columns.count <= Self.mostBindings {
            while count >= size {
                let end = start + size * columns.count
                let text = statements.insertion(into: table, columns, rows: size)
                try connection.execute(SQL(text: text, bindings: Array(values[start..<end])))
                (start, count) = (end, count - size)
            }
        }
        values.removeAll(keepingCapacity: true)
    }
}
