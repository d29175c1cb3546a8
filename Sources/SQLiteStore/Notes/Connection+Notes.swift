// SPDX-License-Identifier: Apache-2.0

// Notes, in a table with a name that Core Data never uses; other programs ignore unknown tables.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// The table is created with the first note. Row IDs ascend in the order of the notes' creation.
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
        try execute(
            """
            INSERT OR REPLACE INTO OUTCROPNOTE (KEY, MADE, CONTENT) \
            VALUES (\(value: .text(note.key)), \(value: .real(note.made.timeIntervalSinceReferenceDate)), \
            \(value: .blob(note.content)))
            """
        )
        // More than are added, so that expired notes don't accumulate; few, so that a save stays fast.
        try execute(
            """
            DELETE FROM OUTCROPNOTE WHERE ID < (SELECT min(ID) + 20 FROM OUTCROPNOTE) \
            AND MADE < \(value: .real(pending.keptSince.timeIntervalSinceReferenceDate))
            """
        )
    }
}
