// SPDX-License-Identifier: Apache-2.0

// Saves that are evaluated without being written.

import Basics
import FoundationEssentials

extension StoreSource {
    func rehearse(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome {
        try StoreCallback.checkWriting(coordinator)
        let rehearsedIDs = try rehearsedIDs(for: changes)
        let names = Dictionary(keepingFirst: rehearsedIDs.map { ($1, $0) })
        let plan = SavePlan(changes, permanentIDs: rehearsedIDs)
        try plan.checkStores()
        var rows: [Snapshot] = []
        for identifier in plan.stores {
            guard let request = plan.requests[identifier], !request.isEmpty else { continue }
            guard let store = coordinator.store(identifier) else { throw .unknownStore(identifier) }
            switch try GraphError.wrapping({ try store.rehearse(request) }) {
            case .saved(let saved): rows += saved.map { $0.renaming(names) }
            case .conflicts(let conflicts):
                coordinator.rowCache.forget(conflicts.overtaken)
                return .conflicts(conflicts.renaming(names))
            }
        }
        return .saved(rows, recomputed: [], [:])
    }

    /// IDs that no store assigns, from the end of the number range, so that none is used up.
    private func rehearsedIDs(for changes: [ObjectChange]) throws(GraphError) -> [ManagedObjectID: ManagedObjectID] {
        var ids: [ManagedObjectID: ManagedObjectID] = [:]
        for change in changes where change.kind == .inserted && change.objectID.isTemporary {
            let store = try storeForInserting(change)
            let reference = ManagedObjectID.Reference.integer(.max - Int64(ids.count) - 1)
            ids[change.objectID] = ManagedObjectID(
                entity: change.objectID.entity,
                store: store.identifier,
                reference: reference
            )
        }
        return ids
    }
}

extension Snapshot {
    /// The same row with the IDs that objects have in their context.
    fileprivate func renaming(_ names: [ManagedObjectID: ManagedObjectID]) -> Snapshot {
        guard !names.isEmpty else { return self }
        var row = row
        row.toOnes = row.toOnes.map { $0.map { names[$0] ?? $0 } }
        return Snapshot(objectID: names[objectID] ?? objectID, version: version, row: row)
    }
}
