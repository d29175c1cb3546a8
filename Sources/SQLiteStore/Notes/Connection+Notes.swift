// SPDX-License-Identifier: Apache-2.0

// Notes, in a table with a name that Core Data never uses; other programs ignore unknown tables.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// The table is created with the first note. The row IDs of notes that expire ascend in the order of their creation;
/// those of notes that don't expire are negative.
extension Connection {
    private static let notes = "OUTCROPNOTE"

    func note(_ key: String) throws -> StoreNote? {
        guard try tableExists(Self.notes) else { return nil }
        let query: SQL = "SELECT MADE, CONTENT FROM OUTCROPNOTE WHERE KEY = \(value: .text(key))"
        return try first(query) { row in
            StoreNote(
                key: key,
                content: row.bytes(1),
                made: Date(timeIntervalSinceReferenceDate: row.double(0))
            )
        }
    }

    /// Removes notes, and the table with the last one.
    func removeNotes(beginningWith prefix: String) throws {
        guard try tableExists(Self.notes) else { return }
        let count = SQLValue.integer(Int64(prefix.unicodeScalars.count))
        try execute("DELETE FROM OUTCROPNOTE WHERE substr(KEY, 1, \(value: count)) = \(value: .text(prefix))")
        if try first("SELECT 1 FROM OUTCROPNOTE LIMIT 1", { _ in true }) == nil {
            try execute("DROP TABLE OUTCROPNOTE")
        }
    }

    /// Writes a note of the transaction's outcome, replacing an expired one, and removes some other expired notes.
    func write<Outcome>(_ pending: PendingNote<Outcome>, of outcome: Outcome) throws {
        let note = try pending.note(of: outcome)
        if try !tableExists(Self.notes) {
            try execute(
                """
                CREATE TABLE OUTCROPNOTE (ID INTEGER PRIMARY KEY, KEY TEXT NOT NULL UNIQUE, MADE REAL NOT NULL, CONTENT BLOB NOT NULL)
                """
            )
        }
        let nextID: SQL =
            pending.expires
            ? "(SELECT max(ifnull(max(ID), 0), 0) + 1 FROM OUTCROPNOTE)"
            : "(SELECT min(ifnull(min(ID), 0), 0) - 1 FROM OUTCROPNOTE)"
        try execute(
            """
            INSERT OR REPLACE INTO OUTCROPNOTE (ID, KEY, MADE, CONTENT) \
            VALUES (\(nextID), \(value: .text(note.key)), \(value: .real(note.made.timeIntervalSinceReferenceDate)), \
            \(value: .blob(note.content)))
            """
        )
        // More than are added, so that expired notes don't accumulate; few, so that a save stays fast.
        try execute(
            """
            DELETE FROM OUTCROPNOTE WHERE ID >= 0 AND ID < (SELECT min(ID) + 20 FROM OUTCROPNOTE WHERE ID >= 0) \
            AND MADE < \(value: .real(pending.keptSince.timeIntervalSinceReferenceDate))
            """
        )
    }
}
