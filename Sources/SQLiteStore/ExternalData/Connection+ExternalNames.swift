// SPDX-License-Identifier: Apache-2.0

// File names in columns, found without reading large values.

import SQLiteDriver

extension SQLValue {
    fileprivate static let externalNameLength = SQLValue.integer(Int64(ExternalFileName.storedLength))
}

extension Connection {
    /// Calls `body` for each file that columns of a table's rows name, with the row's key and the
    /// column's index in the list.
    ///
    /// - Parameter keys: The right side of `IN`.
    func externalNames(
        in table: String,
        columns: [String],
        keys: SQL,
        _ body: (_ key: Int64, _ column: Int, ExternalFileName) -> Void
    ) throws {
        // SQLite knows a blob's length without reading it, so only blobs of a name's length are read.
        let selected = columns.map { column -> SQL in
            let name: SQL = "\(identifier: column)"
            return "CASE WHEN length(\(name)) = \(literal: .externalNameLength) THEN \(name) END"
        }
        let query: SQL = """
            SELECT Z_PK, \(selected.joined(separator: ", ")) FROM \(identifier: table) WHERE Z_PK IN \(keys)
            """
        try run(query) { row in
            for place in columns.indices {
                guard case .file(let name)? = ExternalValue(stored: row.bytes(Int32(place + 1))) else { continue }
                body(row.int64(0), place, name)
            }
        }
    }

    /// Calls `body` for each file that the database names, including tables of unknown entities. The contents of
    /// virtual tables are in their shadow tables.
    func allExternalNames(_ body: (ExternalFileName) -> Void) throws {
        let tables: SQL = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name"
        for table in try rows(tables, { $0.string(0) }) {
            let columns = try rows(
                "SELECT name FROM pragma_table_info(\(value: .text(table))) WHERE type LIKE '%BLOB%' OR type = ''"
            ) { $0.string(0) }
            for column in columns {
                let query: SQL = """
                    SELECT \(identifier: column) FROM \(identifier: table) \
                    WHERE length(\(identifier: column)) = \(literal: .externalNameLength)
                    """
                try run(query) { row in
                    if case .file(let name)? = ExternalValue(stored: row.bytes(0)) { body(name) }
                }
            }
        }
    }
}

extension StoreTables {
    /// The files named in columns that a save is about to overwrite or to delete.
    func released(_ columns: [String: [Int64: Set<Int>]], _ connection: Connection) throws -> [ExternalFileName] {
        var released: [ExternalFileName] = []
        for table in schema.tables {
            guard let rows = columns[table.name] else { continue }
            let places = Set(rows.values.joined()).sorted()
            try connection.externalNames(
                in: table.name,
                columns: places.map { table.columns[$0].name },
                keys: .keys(rows.keys.sorted())
            ) { key, column, name in
                if rows[key]?.contains(places[column]) == true { released.append(name) }
            }
        }
        return released
    }
}
