// SPDX-License-Identifier: Apache-2.0

// Derived values, kept as they should be with each save.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState: DerivationSource {
    func row(of objectID: ManagedObjectID) -> Row? { rows[objectID]?.row }

    /// A save whose rows have the derived values that they tell themselves.
    func deriving(_ request: StoreSaveRequest, _ derivations: Derivations, _ now: Date) -> StoreSaveRequest {
        let generation = AtomicGeneration(self)
        let evaluator = Evaluator(now: now)
        func derive(_ row: Row, _ objectID: ManagedObjectID) -> Row {
            let snapshot = Snapshot(objectID: objectID, version: 0, row: row)
            let object = RowObject(snapshot: snapshot, generation: generation)
            return derivations.deriveLocally(row, of: objectID.entity, from: object, with: evaluator)
        }
        var request = request
        for index in request.insertions.indices {
            request.insertions[index].row = derive(request.insertions[index].row, request.insertions[index].objectID)
        }
        for index in request.updates.indices {
            request.updates[index].row = derive(request.updates[index].row, request.updates[index].objectID)
        }
        return request
    }

    /// Computes the derived values of saved rows and of those that depend on what was changed, and on each other. Returns the
    /// rows in which some differ now.
    mutating func derive(
        saved: Set<ManagedObjectID>,
        dependents: Set<ManagedObjectID>,
        _ derivations: Derivations,
        _ now: Date,
        in model: ManagedObjectModel
    ) -> Set<ManagedObjectID> {
        var recomputed: Set<ManagedObjectID> = []
        var pending = saved.union(dependents)
        // Values may be derived from derived ones, even in circles, which nothing would end.
        for _ in 0..<Self.roundLimit where !pending.isEmpty {
            let changed = derived(pending, saved: saved, derivations, now)
            for snapshot in changed { put(snapshot, in: model) }
            recomputed.formUnion(changed.map(\.objectID))
            pending = derivations.dependents(on: changed.map(\.objectID), in: self)
        }
        return recomputed
    }

    private static let roundLimit = 20

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

extension StoreSaveRequest {
    /// The objects that it changes, or that get into or out of a relationship.
    var touched: [ManagedObjectID] {
        insertions.map(\.objectID) + updates.map(\.objectID) + deletions.map(\.objectID)
            + members.flatMap { [$0.owner] + $0.added + $0.removed }
    }
}
