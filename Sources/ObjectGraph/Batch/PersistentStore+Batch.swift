// SPDX-License-Identifier: Apache-2.0

// The default implementation of batches: by the other calls of a store, with a single save.

extension PersistentStore {
    public var streamsBatchInserts: Bool { false }

    public func execute(_ batch: StoreBatchRequest, commit: Commit<StoreBatchResult>) throws -> StoreBatchResult {
        let rows = try batch.rows()
        // Each round is based on the stored rows that the previous one has found.
        for _ in 0..<100 {
            let graph = RowGraph(of: self, model: batch.model, maximum: batch.maximum)
            let touched = try graph.apply(batch.operation, rows: rows)
            let objectIDs = batch.returnsObjectIDs ? touched : []
            let request = try graph.saveRequest()
            guard !request.isEmpty || commit.note != nil else {
                return StoreBatchResult(count: touched.count, objectIDs: objectIDs, changes: SavedChanges())
            }
            if batch.isRehearsal {
                switch try rehearse(request) {
                case .saved:
                    return StoreBatchResult(count: touched.count, objectIDs: objectIDs, changes: SavedChanges())
                case .conflicts(let conflicts) where conflicts.constraints.isEmpty: continue
                case .conflicts(let conflicts): throw graph.error(for: conflicts.constraints)
                }
            }
            let changes = graph.plannedChanges
            @Sendable func result(_ written: [Snapshot]) -> StoreBatchResult {
                StoreBatchResult(
                    count: touched.count,
                    objectIDs: objectIDs,
                    changes: changes.savedChanges(written: written)
                )
            }
            switch try save(request, commit: commit.adapted(from: result)) {
            case .saved(let written): return result(written)
            case .conflicts(let conflicts) where conflicts.constraints.isEmpty: continue
            case .conflicts(let conflicts): throw graph.error(for: conflicts.constraints)
            }
        }
        throw GraphError(.conflict, "Other writers changed the objects of a batch again and again.")
    }
}

extension StoreBatchRequest {
    fileprivate func rows() throws -> [StoreBatchInsertion.Row] {
        guard case .insert(let insertion) = operation else { return [] }
        var rows: [StoreBatchInsertion.Row] = []
        while let row = try insertion.next() { rows.append(row) }
        return rows
    }
}

extension RowGraph {
    /// Applies a batch and returns the objects that it is for.
    func apply(
        _ operation: StoreBatchRequest.Operation,
        rows: [StoreBatchInsertion.Row]
    ) throws -> [ManagedObjectID] {
        switch operation {
        case .insert(let insertion): return try insert(rows, of: insertion.entity, resolvingBy: insertion.policy)
        case .update(let update): return try self.update(update)
        case .delete(let request): return try delete(try fetch(request))
        case .deleteObjects(let objects):
            // Several IDs may name one row, some of them by another entity of the hierarchy.
            try load(objects.compactMap { $0.named(by: model.entities[$0.entity.rootIndex]) })
            let rows = try objects.compactMap { objectID in
                try snapshot(objectID).flatMap { $0.objectID.entity.isKind(of: objectID.entity) ? $0 : nil }
            }
            return try delete(rows)
        }
    }
}

extension ManagedObjectID {
    /// The ID of the same row under another entity of its hierarchy.
    fileprivate func named(by entity: EntityDescription) -> ManagedObjectID? {
        guard let storeIdentifier, let reference else { return nil }
        return ManagedObjectID(entity: entity, store: storeIdentifier, reference: reference)
    }
}
