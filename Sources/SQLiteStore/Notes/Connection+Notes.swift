// SPDX-License-Identifier: Apache-2.0

// Notes in a table of their own, whose name is none that Core Data gives: other programs leave it alone, as they do any that they
// don't know.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// The table is made with the first note. Rows are numbered as notes are made, so that the oldest come first.
extension Connection {
    private static let notes = "OUTCROPNOTE"

    /// The note of a key; nil where there is none.
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

    /// Throws where the key of a commit's note is taken, before anything is written for it.
    func checkNote<Outcome>(of commit: Commit<Outcome>) throws {
        guard let note = commit.note, let taken = try self.note(note.key), taken.made >= note.keptSince else { return }
        throw GraphError.noteTaken(note.key)
    }

    /// Writes what belongs to a commit, and has others notified once the transaction is committed.
    func write<Outcome>(_ commit: Commit<Outcome>, of outcome: Outcome) throws {
        if let note = commit.note { try write(note, of: outcome) }
        for mark in commit.marks { try write(mark) }
        afterCommit { commit.notify(of: outcome) }
    }

    /// Writes a note of what the transaction has done, in the place of one that is too old, and removes some others that are.
    private func write<Outcome>(_ pending: PendingNote<Outcome>, of outcome: Outcome) throws {
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
        // More than come in, so that there are never more for long than are kept; few, so that no save pays for all.
        try execute(
            """
            DELETE FROM OUTCROPNOTE WHERE ID < (SELECT min(ID) + 20 FROM OUTCROPNOTE) \
            AND MADE < \(value: .real(pending.keptSince.timeIntervalSinceReferenceDate))
            """
        )
    }
}
