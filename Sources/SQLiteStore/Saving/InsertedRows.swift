// SPDX-License-Identifier: Apache-2.0

// Batches insertions of rows.

import SQLiteDriver

/// Inserts successive rows with the same table and columns by one statement.
struct InsertedRows {
    private let connection: Connection
    private let statements: RowStatements
    private var table = ""
    private var columns: [String] = []
    /// The values of all pending rows, row by row.
    private var values: [SQLValue] = []
    private var count = 0

    /// The numbers of rows in a statement. Each makes a distinct statement, which is kept prepared.
    private static let sizes = [16, 4, 1]
    /// Below SQLite's limit.
    private static let maximumBindings = 30_000

    init(_ connection: Connection, _ statements: RowStatements) {
        self.connection = connection
        self.statements = statements
    }

    /// Whether no rows are pending.
    var isEmpty: Bool { count == 0 }

    mutating func add(to table: String, _ columns: [String], _ values: [SQLValue]) throws {
        if table != self.table || columns != self.columns {
            try writeAll()
            self.table = table
            self.columns = columns
        }
        self.values += values
        count += 1
        if count >= Self.sizes[0] { try writeAll() }
    }

    /// Writes the pending rows.
    mutating func writeAll() throws {
        var start = 0
        for size in Self.sizes where size == 1 || size * columns.count <= Self.maximumBindings {
            while count >= size {
                let end = start + size * columns.count
                let text = statements.insertion(into: table, columns, rows: size)
                try connection.execute(SQL(text: text, bindings: Array(values[start..<end])))
                start = end
                count -= size
            }
        }
        values.removeAll(keepingCapacity: true)
    }
}
