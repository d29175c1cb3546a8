// SPDX-License-Identifier: Apache-2.0

// Derived values of saved rows.

import ObjectGraph
import Predicates

extension AtomicState: DerivationTarget {
    func row(of objectID: ManagedObjectID) -> Row? { rows[objectID]?.row }

    func snapshot(of objectID: ManagedObjectID) -> Snapshot? { rows[objectID] }

    mutating func recompute(
        _ objects: Set<ManagedObjectID>,
        saved: Set<ManagedObjectID>,
        by derivations: Derivations,
        with evaluator: Evaluator
    ) -> [ManagedObjectID: Snapshot?] {
        var former: [ManagedObjectID: Snapshot?] = [:]
        for snapshot in recomputed(objects, saved, derivations, evaluator) {
            former[snapshot.objectID] = rows[snapshot.objectID]
            put(snapshot)
        }
        return former
    }

    /// The rows that change by their derived values. The generation must be released before the caller updates the
    /// state, which would otherwise be copied.
    private func recomputed(
        _ objects: Set<ManagedObjectID>,
        _ saved: Set<ManagedObjectID>,
        _ derivations: Derivations,
        _ evaluator: Evaluator
    ) -> [Snapshot] {
        let generation = AtomicGeneration(self)
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
