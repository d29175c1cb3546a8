// SPDX-License-Identifier: Apache-2.0

// Saves into an atomic store: all is checked before anything is changed.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState {
    /// Does a save, unless it is in conflict with what is there. Where it throws, nothing is changed.
    mutating func save(
        _ request: StoreSaveRequest,
        in model: ManagedObjectModel,
        _ derivations: Derivations,
        now: Date = .now
    ) throws(GraphError) -> StoreSaveResult {
        guard !derivations.isEmpty else {
            if let conflicts = conflicts(of: request) { return .conflicts(conflicts) }
            return .saved(apply(request, in: model))
        }
        let request = derivations.deriveLocally(request, with: Evaluator(now: now))
        if let conflicts = conflicts(of: request) { return .conflicts(conflicts) }
        let touched = request.touched
        let before = derivations.dependents(on: touched, in: self)
        // A second reference has what is changed copied, and is for those who need it.
        let former = derivations.areChained ? self : nil
        let written = apply(request, in: model).map(\.objectID)
        // An object that gets into a list or out of it is not saved itself, but may count what is in the list.
        let dependents = derivations.dependents(on: touched, in: self).union(before).union(touched)
        do throws(GraphError) {
            let recomputed = try derive(saved: Set(written), dependents: dependents, derivations, now, in: model)
            let saved = Set(written)
            let others = recomputed.values.filter { !saved.contains($0.objectID) }
            return .saved(
                written.compactMap { rows[$0] } + others.compactMap { rows[$0.objectID]?.recomputed(since: $0) }
            )
        } catch {
            if let former { self = former }
            throw error
        }
    }

    private func conflicts(of request: StoreSaveRequest) -> StoreConflicts? {
        request.conflicts(
            version: { rows[$0]?.version },
            holder: holder(of:),
            members: { relationship, owners in owners.map { members(of: relationship, owner: $0) } },
            stored: { rows[$0] }
        )
    }

    /// Does what a save without conflicts asks for; the rows inserted and updated as they stand then.
    private mutating func apply(_ request: StoreSaveRequest, in model: ManagedObjectModel) -> [Snapshot] {
        for deletion in request.deletions { remove(deletion.objectID) }
        var written: [Snapshot] = []
        for insertion in request.insertions {
            written.append(Snapshot(objectID: insertion.objectID, version: insertion.version, row: insertion.row))
        }
        for update in request.updates {
            written.append(Snapshot(objectID: update.objectID, version: update.version + 1, row: update.row))
        }
        for snapshot in written { put(snapshot, in: model) }
        for members in request.members { change(members) }
        return written
    }
}
