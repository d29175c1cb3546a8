// SPDX-License-Identifier: Apache-2.0

// What goes into a transaction with a save or batch, and what happens after it.

import ObjectGraph
import SQLiteDriver

extension Connection {
    /// Throws if the key of a commit's note is in use, before anything is written.
    func checkNote<Outcome>(of commit: Commit<Outcome>) throws {
        guard let note = commit.note, let taken = try self.note(note.key), taken.made >= note.keptSince else { return }
        throw GraphError.noteTaken(note.key)
    }

    /// Writes a commit's note, and notifies its observers after the transaction is committed.
    ///
    /// - Parameter transaction: Its number in the history.
    func write<Outcome>(_ commit: Commit<Outcome>, of outcome: Outcome, as transaction: Int64?) throws {
        if let note = commit.note { try write(note, of: outcome) }
        afterCommit { commit.notify(of: outcome, as: transaction) }
    }
}
