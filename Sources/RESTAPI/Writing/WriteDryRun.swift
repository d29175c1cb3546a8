// SPDX-License-Identifier: Apache-2.0

// Ends a write with a dry run. The stores execute the save and roll it back.

import Basics
import FoundationEssentials
import ObjectGraph

/// Rehearses the save of a write, and answers as the save would. New objects are named `t1`, `t2` and so on.
struct WriteDryRun {
    let write: AppliedWrite

    func run() throws -> WriteOutcome {
        let context = write.context
        let saved: [Snapshot]
        do throws(GraphError) {
            saved = try context.rehearseSave()
        } catch {
            return try write.outcome(of: error)
        }
        let touched = TouchedObjects(pendingIn: context)
        if write.plan.answer == .deletion, write.dropped.isEmpty {
            return .done(Reply(closureOf: try touched.readable(to: write.api, in: context)))
        }
        let answer = try WriteAnswer(to: write, touching: touched)
        let present = try answer.rows(in: context)
        let written = Dictionary(keepingFirst: saved.map { ($0.objectID, $0) })
        let names = names(of: touched.inserted)
        let name = { (objectID: ManagedObjectID) in names[objectID] ?? objectID }
        return .done(
            answer.reply(naming: name) { objectID in
                present[objectID].map {
                    (written[objectID]?.hidingReferences(hiddenIn: $0, of: write.api) ?? $0).renamed(name)
                }
            }
        )
    }

    private func names(of inserted: [ManagedObject]) -> [ManagedObjectID: ManagedObjectID] {
        let store = UUID()
        let names = inserted.enumerated().map { offset, object in
            let reference = ManagedObjectID.Reference.text("t\(offset + 1)")
            return (object.objectID, ManagedObjectID(entity: object.entity, store: store, reference: reference))
        }
        return Dictionary(uniqueKeysWithValues: names)
    }
}
