// SPDX-License-Identifier: Apache-2.0

// Derived values of saved rows.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState: DerivationSource {
    func row(of objectID: ManagedObjectID) -> Row? { rows[objectID]?.row }

    /// Computes the derived values of saved rows, and of rows that depend on the changes or on each other. Returns
    /// the previous snapshots of changed rows. If it throws, the state is left partially updated.
    mutating func derive(
        saved: Set<ManagedObjectID>,
        dependents: Set<ManagedObjectID>,
        _ derivations: Derivations,
        _ now: Date,
        in model: ManagedObjectModel
    ) throws(GraphError) -> [ManagedObjectID: Snapshot] {
        var former: [ManagedObjectID: Snapshot] = [:]
        var pending = saved.union(dependents)
        // Values derived from each other may form a cycle, which would not end.
        var rounds = 0
        while !pending.isEmpty {
            rounds += 1
            guard rounds <= Derivations.roundLimit else { throw .endlessDerivation(pending.map(\.entity)) }
            let changed = derived(pending, saved: saved, derivations, now)
            for snapshot in changed {
                if former[snapshot.objectID] == nil { former[snapshot.objectID] = rows[snapshot.objectID] }
                put(snapshot, in: model)
            }
            pending = derivations.dependents(on: changed.map(\.objectID), in: self)
        }
        return former
    }

    /// The rows that change by their derived values. The generation must be released before the caller updates the
    /// state, which would otherwise be copied.
    private func derived(
        _ objects: Set<ManagedObjectID>,
        saved: Set<ManagedObjectID>,
        _ derivations: Derivations,
        _ now: Date
    ) -> [Snapshot] {
        let generation = AtomicGeneration(self)
        let evaluator = Evaluator(now: now)
        return objects.compactMap { objectID in
            guard let snapshot = rows[objectID] else { return nil }
            let row = derivations.derive(
                snapshot.row,
                of: snapshot.objectID.entity,
                from: RowObject(snapshot: snapshot, generation: generation),
                isSaved: saved.contains(objectID),
                with: evaluator
            )
            guard row != snapshot.row else { return nil }
            return Snapshot(objectID: snapshot.objectID, version: snapshot.version, row: row)
        }
    }
}
