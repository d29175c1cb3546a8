// SPDX-License-Identifier: Apache-2.0

// Derived values, kept as they should be with each save.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState: DerivationSource {
    func row(of objectID: ManagedObjectID) -> Row? { rows[objectID]?.row }

    /// Computes the derived values of saved rows and of those that depend on what was changed, and on each other. Returns the
    /// rows in which some differ now, as they were before. Where it throws, the state is neither the one before the save nor that
    /// after it.
    mutating func derive(
        saved: Set<ManagedObjectID>,
        dependents: Set<ManagedObjectID>,
        _ derivations: Derivations,
        _ now: Date,
        in model: ManagedObjectModel
    ) throws(GraphError) -> [ManagedObjectID: Snapshot] {
        var former: [ManagedObjectID: Snapshot] = [:]
        var pending = saved.union(dependents)
        // Values may be derived from derived ones, even in circles, which nothing would end.
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

    /// The rows that are others with their derived values. What refers to the state is gone when they are put into it, so that
    /// it need not be copied.
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
