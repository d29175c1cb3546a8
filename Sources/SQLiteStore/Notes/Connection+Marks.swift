// SPDX-License-Identifier: Apache-2.0

// How far an import has come, kept in the store with what it has imported.

package import ObjectGraph
import SQLiteDriver

/// Marks of commits, in a table that the first one makes and that goes with the last.
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
        // A store that nothing is imported into has no trace of it.
        if count == 0 { try execute("DROP TABLE \(identifier: Self.marks)") }
    }
}

extension SQLiteStore {
    /// The mark of a key; nil for work that hasn't begun, or is done.
    package func mark(_ key: String) throws -> CommitMark? {
        try naming { try database.read { try $0.mark(key) } }
    }

    package func removeMark(_ key: String) throws {
        try writing { try $0.removeMark(key) }
    }
}
