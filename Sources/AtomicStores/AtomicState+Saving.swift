// SPDX-License-Identifier: Apache-2.0

// Saves into an atomic store: a save is checked completely before it changes anything.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState {
    /// Applies a save, or returns its conflicts. If it throws, nothing is changed.
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
        // A second reference makes changes copy the state, so it is only held when needed for a rollback.
        let former = derivations.areChained ? self : nil
        let written = apply(request, in: model).map(\.objectID)
        // An object added to a list or removed from it isn't saved itself, but a derived value may depend on the list.
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

    /// Applies a save without conflicts, and returns the inserted and updated rows.
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
