// SPDX-License-Identifier: Apache-2.0

// Saves into an atomic store: a save is checked completely before it changes anything.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState {
    /// Applies a save, or returns its conflicts. If it throws, nothing is changed.
    mutating func save(
        _ request: StoreSaveRequest,
        _ derivations: Derivations,
        now: Date = .now
    ) throws -> StoreSaveResult {
        let evaluator = Evaluator(now: now)
        let request = derivations.deriveLocally(request, with: evaluator)
        if let conflicts = conflicts(of: request) { return .conflicts(conflicts) }
        guard !derivations.isEmpty else { return .saved(apply(request)) }
        let touched = request.touched
        let before = derivations.dependents(on: touched, in: self)
        // A second reference makes changes copy the state, so it is only held when needed for a rollback.
        let former = derivations.areChained ? self : nil
        let written = apply(request).map(\.objectID)
        do {
            let rows = try derivations.recompute(
                written,
                touched: touched,
                formerDependents: before,
                in: &self,
                with: evaluator
            )
            return .saved(rows)
        } catch {
            if let former { self = former }
            throw error
        }
    }

    /// The present rows of the objects that a save updates or deletes.
    func rows(changedBy request: StoreSaveRequest) -> [ManagedObjectID: Snapshot] {
        var found: [ManagedObjectID: Snapshot] = [:]
        for update in request.updates { found[update.objectID] = rows[update.objectID] }
        for deletion in request.deletions { found[deletion.objectID] = rows[deletion.objectID] }
        return found
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
    private mutating func apply(_ request: StoreSaveRequest) -> [Snapshot] {
        for deletion in request.deletions { remove(deletion.objectID) }
        let written = request.writtenRows
        for snapshot in written { put(snapshot) }
        change(request.members)
        return written
    }
}
