// SPDX-License-Identifier: Apache-2.0

// Ends a write by saving it into the stores.

import ObjectGraph

/// Saves a write, and answers with the saved objects.
struct WriteSave {
    let write: AppliedWrite
    /// Stores the answer in the same transaction, for a request with a key.
    let recorder: AnswerRecorder?

    func run() throws -> WriteOutcome {
        let context = write.context
        try context.processPendingChanges()
        var saved: TouchedObjects?
        let observation =
            write.plan.preferences.returning.contains(.changes)
            ? context.observe { if case .didSave(let done) = $0 { saved = TouchedObjects(savedBy: done) } } : nil
        defer { if let observation { context.remove(observation) } }
        let accounts = write.api.accounts
        let renaming = RenamedAccounts(accounts, in: context)
        let renamed = renaming?.renamedIDs ?? []
        do throws(GraphError) {
            if recorder != nil || renaming != nil {
                try context.save { () throws(GraphError) in
                    try renaming?.checkSave()
                    guard let recorder else { return nil }
                    return try note(of: recorder)
                }
            } else {
                try context.save()
            }
        } catch {
            return try write.outcome(of: error)
        }
        RenamedAccounts.verify(renamed, of: accounts, in: write.api)
        try write.endSessions()
        if let reply = recorder?.reply { return .done(reply) }
        let answer = try WriteAnswer(to: write, touching: saved)
        let rows = try answer.rows(in: context)
        return .done(answer.reply { rows[$0] })
    }

    /// The note of the answer: made of the rows being written, before they can be read.
    private func note(of recorder: AnswerRecorder) throws(GraphError) -> PendingNote<SavedRows> {
        let context = write.context
        let answer = try WriteAnswer(to: write, touching: context.hasChanges ? TouchedObjects(pendingIn: context) : nil)
        // Objects of the answer that aren't written are unchanged.
        let unwritten = try answer.rows(in: context)
        let api = write.api
        return recorder.note { saved in
            answer.reply(naming: saved.permanentID) { objectID in
                guard let shown = unwritten[objectID] else { return api.access == nil ? saved[objectID] : nil }
                return saved[objectID]?.hidingReferences(hiddenIn: shown, of: api) ?? shown.renamed(saved.permanentID)
            }
        }
    }
}
