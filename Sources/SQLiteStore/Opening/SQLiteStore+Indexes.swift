// SPDX-License-Identifier: Apache-2.0

// Creates indexes that a model has got since a file was made.

import SQLiteDriver

extension SQLiteStore {
    /// Creates the model's indexes that the file lacks; the version of a model doesn't depend on indexes. Indexes that the
    /// model no longer has stay, since another program may open the file with another model. The files of Core Data are left
    /// to their programs. While another process writes, no index is created: fetches are slower without it, but right.
    func createMissingIndexes() throws {
        guard !isReadOnly else { return }
        try naming {
            let missing = try database.read { [tables] in try Self.missingIndexes($0, tables) }
            guard !missing.isEmpty else { return }
            do {
                try database.write { [tables] connection in
                    try tables.history?.mark(connection)
                    // Another process may have created some meanwhile.
                    for index in try Self.missingIndexes(connection, tables) { try connection.execute(index.creation) }
                }
            } catch let error as SQLiteError where error.code.primary == .busy {
                return
            }
        }
    }

    private static func missingIndexes(_ connection: Connection, _ tables: StoreTables) throws -> [StoredIndex] {
        guard try !MetadataRow(connection).metadata.isOfCoreData else { return [] }
        // Names of tables, indexes and triggers are the same in another case.
        let names = Set(try connection.rows("SELECT name FROM sqlite_master") { $0.string(0).lowercased() })
        // Migrations create unique indexes, after a check of the rows.
        return tables.schema.indexes.filter { !$0.isUnique && !names.contains($0.name.lowercased()) }
    }
}
