// SPDX-License-Identifier: Apache-2.0

// How far an import has come, kept in the store with what it has imported.

import SQLiteDriver

/// What an import is, and how much of it is done. Whatever is saved or inserted while a mark is current is committed with it, so that
/// the store says after a crash which part of the import it has.
package struct ImportMark: Sendable {
    /// What tells the import from others.
    package let fingerprint: String
    package let position: Int64

    @TaskLocal package static var current: ImportMark?

    package init(fingerprint: String, position: Int64) { (self.fingerprint, self.position) = (fingerprint, position) }

    private static let table = "OUTCROPIMPORT"

    func write(_ connection: Connection) throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(identifier: Self.table) (FINGERPRINT TEXT PRIMARY KEY, POSITION INTEGER NOT NULL)"
        )
        try connection.execute(
            """
            INSERT INTO \(identifier: Self.table) (FINGERPRINT, POSITION) \
            VALUES (\(value: .text(fingerprint)), \(value: .integer(position))) \
            ON CONFLICT (FINGERPRINT) DO UPDATE SET POSITION = excluded.POSITION
            """
        )
    }

    fileprivate static func position(of fingerprint: String, _ connection: Connection) throws -> Int64? {
        guard try connection.tableExists(table) else { return nil }
        return try connection.first(
            "SELECT POSITION FROM \(identifier: table) WHERE FINGERPRINT = \(value: .text(fingerprint))"
        ) { $0.int64(0) }
    }

    fileprivate static func remove(_ fingerprint: String, _ connection: Connection) throws {
        guard try connection.tableExists(table) else { return }
        try connection.execute("DELETE FROM \(identifier: table) WHERE FINGERPRINT = \(value: .text(fingerprint))")
        let count = try connection.first("SELECT count(*) FROM \(identifier: table)") { $0.int64(0) }
        // A store that nothing is imported into has no trace of it.
        if count == 0 { try connection.execute("DROP TABLE \(identifier: table)") }
    }
}

extension SQLiteStore {
    /// How far an import has come; nil for one that hasn't begun, or is done.
    package func importPosition(_ fingerprint: String) throws -> Int64? {
        try naming { try database.read { try ImportMark.position(of: fingerprint, $0) } }
    }

    /// Forgets an import.
    package func removeImportMark(_ fingerprint: String) throws {
        try writing { try ImportMark.remove(fingerprint, $0) }
    }
}
