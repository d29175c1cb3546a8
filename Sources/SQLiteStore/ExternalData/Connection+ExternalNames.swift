// SPDX-License-Identifier: Apache-2.0

// The names of files in columns, found without reading what else is in them.

import SQLiteDriver

extension SQLValue {
    fileprivate static let externalNameLength = SQLValue.integer(Int64(ExternalFileName.storedLength))
}

extension Connection {
    /// The files that columns of a table's rows name, with the rows' keys and the columns' places in the list.
    ///
    /// - Parameter keys: What stands after `IN`.
    func externalNames(
        in table: String,
        columns: [String],
        keys: SQL,
        _ body: (_ key: Int64, _ column: Int, ExternalFileName) -> Void
    ) throws {
        // SQLite knows the length of a blob without reading it, and reads only those that have the length of a name.
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

    /// The files that anything in the database names: the tables of entities that nobody knows here count as well. What virtual
    /// tables keep is in other tables.
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
    /// The files that rows name in columns which a save is about to write, or to delete with their rows.
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
