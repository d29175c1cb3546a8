// SPDX-License-Identifier: Apache-2.0

// Batches executed from a context, which merges their changes and keeps its own pending.

extension ManagedObjectContext {
    /// Inserts rows directly into a store. The context's merge policy resolves violations of uniqueness.
    @discardableResult
    public func execute(_ request: BatchInsertRequest) throws(GraphError) -> BatchResult {
        try executing { coordinator, caller throws(GraphError) in
            try coordinator.insert(request, mergePolicy: mergePolicy, for: caller)
        }
    }

    /// Updates objects directly in the stores.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws(GraphError) -> BatchResult {
        try executing { coordinator, caller throws(GraphError) in try coordinator.update(request, for: caller) }
    }

    /// Deletes objects directly in the stores.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws(GraphError) -> BatchResult {
        try executing { coordinator, caller throws(GraphError) in try coordinator.delete(request, for: caller) }
    }

    private func executing(
        _ body: (PersistentStoreCoordinator, BatchCaller) throws(GraphError) -> BatchResult
    ) throws(GraphError) -> BatchResult {
        try processPendingChanges()
        let caller = BatchCaller(origin) { changes throws(GraphError) in try self.mergeBatch(changes) }
        return try body(source.coordinator, caller)
    }

    /// Merges a batch that this context or a child of it has executed.
    func mergeBatch(_ changes: SavedChanges) throws(GraphError) {
        for changes in try source.drainChangesAfterBatch(changes) { try merge(changes) }
    }
}
