// SPDX-License-Identifier: Apache-2.0

// The progress of an import, stored with the imported objects.

package import ObjectGraph
import SQLiteDriver

/// Marks of commits, in a table that is created with the first and dropped with the last one.
extension Connection {
    private static let marks = "OUTCROPIMPORT"

    func write(_ mark: CommitMark) throws {
        try execute(
            "CREATE TABLE IF NOT EXISTS \(identifier: Self.marks) (FINGERPRINT TEXT PRIMARY KEY, POSITION INTEGER NOT NULL)"
        )
        try execute(
            """
            INSERT INTO \(identifier: Self.marks) (FINGERPRINT, POSITION) \
            VALUES (\(value: .text(mark.key)), \(value: .integer(mark.position))) \
            ON CONFLICT (FINGERPRINT) DO UPDATE SET POSITION = excluded.POSITION
            """
        )
    }

    fileprivate func mark(_ key: String) throws -> CommitMark? {
        guard try tableExists(Self.marks) else { return nil }
        let query: SQL = "SELECT POSITION FROM \(identifier: Self.marks) WHERE FINGERPRINT = \(value: .text(key))"
        return try first(query) { CommitMark(key: key, position: $0.int64(0)) }
    }

    fileprivate func removeMark(_ key: String) throws {
        guard try tableExists(Self.marks) else { return }
        try execute("DELETE FROM \(identifier: Self.marks) WHERE FINGERPRINT = \(value: .text(key))")
        let count = try first("SELECT count(*) FROM \(identifier: Self.marks)") { $0.int64(0) }
        // Leaves no trace of finished imports.
        if count == 0 { try execute("DROP TABLE \(identifier: Self.marks)") }
    }
}

extension SQLiteStore {
    /// The mark of a key, or nil for work that hasn't begun or is finished.
    package func mark(_ key: String) throws -> CommitMark? {
        try naming { try database.read { try $0.mark(key) } }
    }

    package func removeMark(_ key: String) throws {
        try writing { try $0.removeMark(key) }
    }
}
