// SPDX-License-Identifier: Apache-2.0

// An end of a write: it is saved into the stores.

import ObjectGraph

/// Saves a write, and answers what was saved.
struct WriteSave {
    let write: AppliedWrite
    /// Keeps the answer in one step with the save, for a request that has a key.
    let keeping: AnswerKeeping?
    let recordNames: NameRecording?

    func run() throws -> WriteOutcome {
        let context = write.context
        try context.processPendingChanges()
        var saved: TouchedObjects?
        let observation = context.observe { if case .didSave(let done) = $0 { saved = TouchedObjects(savedBy: done) } }
        defer { context.remove(observation) }
        if let recordNames {
            // In the order of the operations, so that the store numbers the objects in it.
            let inserted = write.plan.writes.indices.filter { write.plan.writes[$0].isInsertion }
            try context.obtainPermanentIDs(for: inserted.compactMap { write.objects[$0] })
            try recordNames(write.objects.named.mapValues { write.api.catalogue.reference(to: $0.objectID) })
        }
        do throws(GraphError) {
            if let keeping {
                try context.save { () throws(GraphError) in try note(of: keeping) }
            } else {
                try context.save()
            }
        } catch {
            return try write.outcome(of: error)
        }
        if let reply = keeping?.reply { return .done(reply) }
        let answer = WriteAnswer(to: write, touching: saved)
        let rows = try answer.rows(in: context)
        return .done(answer.reply { rows[$0] })
    }

    /// The note of the answer: made of the rows as they are written, before they can be read.
    private func note(of keeping: AnswerKeeping) throws(GraphError) -> PendingNote<SavedRows> {
        let context = write.context
        let answer = WriteAnswer(to: write, touching: context.hasChanges ? TouchedObjects(pendingIn: context) : nil)
        // What is answered and not written stays as it is.
        let unwritten = try answer.rows(in: context)
        return keeping.note { saved in
            answer.reply(naming: saved.permanentID) { objectID in
                saved[objectID] ?? unwritten[objectID]?.renamed(saved.permanentID)
            }
        }
    }
}

/// Records the references that the temporary names of new objects stand for, before these are saved. What it throws keeps them from being
/// saved.
package typealias NameRecording = @Sendable (_ references: [String: String]) throws -> Void
