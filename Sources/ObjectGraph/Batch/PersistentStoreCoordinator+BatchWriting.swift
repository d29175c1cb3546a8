// SPDX-License-Identifier: Apache-2.0

// Hands batches to the stores, one after the other, and tells all live contexts.

import FoundationEssentials
import Synchronization

/// Who executes a batch, and what that one does once it was written.
struct BatchAuthor {
    let origin: SaveOrigin
    /// What is kept with the batch.
    let note: PendingNote<BatchResult>?
    let merging: (SavedChanges) throws(GraphError) -> Void

    init(
        _ origin: SaveOrigin,
        noting note: PendingNote<BatchResult>? = nil,
        merging: @escaping (SavedChanges) throws(GraphError) -> Void = { _ in }
    ) {
        (self.origin, self.note) = (origin, note)
        self.merging = merging
    }
}

extension PersistentStoreCoordinator {
    func execute(
        _ operation: StoreBatchRequest.Operation,
        on stores: [any PersistentStore],
        _ rows: StoreFetchRequest,
        _ maximum: Int?,
        _ resultType: BatchResultType,
        _ author: BatchAuthor
    ) throws(GraphError) -> BatchResult {
        guard author.note == nil || stores.count == 1 else { throw .noteAcrossStores }
        if let maximum, stores.count > 1 { try check(rows, in: stores, maximum) }
        var result = BatchResult()
        for store in stores { try write(operation, to: store, maximum, resultType, &result, author) }
        return result
    }

    /// Stores are written one after the other; that there are too many objects should show before the first is.
    private func check(
        _ rows: StoreFetchRequest,
        in stores: [any PersistentStore],
        _ maximum: Int
    ) throws(GraphError) {
        var request = rows
        request.kind = .count
        var found = 0
        for store in stores {
            do {
                if case .count(let count) = try store.fetch(request, at: nil) { found += count }
            } catch {
                throw .ofStore(error)
            }
        }
        if found > maximum { throw .limitExceeded(maximum) }
    }

    func batch(
        _ operation: StoreBatchRequest.Operation,
        _ resultType: BatchResultType,
        maximum: Int? = nil
    ) -> StoreBatchRequest {
        StoreBatchRequest(
            model: model,
            operation: operation,
            maximum: maximum,
            returnsObjectIDs: resultType == .objectIDs
        )
    }

    /// Writes one store's part. Where an earlier one was written already, the rest can't be taken back.
    func write(
        _ operation: StoreBatchRequest.Operation,
        to store: any PersistentStore,
        _ maximum: Int?,
        _ resultType: BatchResultType,
        _ result: inout BatchResult,
        _ author: BatchAuthor
    ) throws(GraphError) {
        let before = result.count
        do {
            let batch = batch(operation, resultType, maximum: maximum.map { max(0, $0 - before) })
            if before == 0 {
                try write(batch, to: store, &result, author)
            } else {
                try WorkLimits.lifted { try write(batch, to: store, &result, author) }
            }
        } catch {
            let error = GraphError.ofStore(error)
            throw before == 0 ? error : .incompleteBatch(failed: store.identifier, error)
        }
    }

    /// Contexts are told of batches and saves in the order in which they were done. The one that executes the batch merges it
    /// after that: its objects may want to save in turn.
    func write(
        _ batch: StoreBatchRequest,
        to store: any PersistentStore,
        _ result: inout BatchResult,
        _ author: BatchAuthor
    ) throws(GraphError) {
        let told = Atomic(0)
        let (source, properties) = (batch.source, batch.setProperties)
        func execute() throws(GraphError) -> StoreBatchResult {
            try GraphError.wrapping {
                let tell: @Sendable (StoreBatchResult) -> Void = { [self, origin = author.origin] done in
                    var changes = done.changes
                    (changes.source, changes.properties) = (source, properties)
                    told.store(publish(changes, of: origin, except: nil), ordering: .relaxed)
                }
                guard let note = author.note else { return try store.execute(batch, telling: tell) }
                guard store.keepsNotes else { throw GraphError.noteUnkept(store.identifier) }
                // Who is told is known afterwards; a note has those who are there to be.
                let pending = note.adapted { [live] (done: StoreBatchResult) in
                    var result = BatchResult()
                    result.add(done, mergedContexts: done.changes.isEmpty ? 0 : live.count)
                    return result
                }
                return try store.execute(batch, noting: pending, telling: tell)
            }
        }
        let start = ContinuousClock.now
        let done =
            if store.savesTogether {
                try execute()
            } else {
                try saving.withLock { _ throws(GraphError) in try execute() }
            }
        let time = ContinuousClock.now - start
        timings.batches.withLock { $0.add(time, objects: done.count) }
        result.add(done, mergedContexts: told.load(ordering: .relaxed))
        observers.deliver()
        do {
            try WorkLimits.lifted { try author.merging(done.changes) }
        } catch {
            throw .ofStore(error)
        }
    }
}

extension GraphError {
    fileprivate static func incompleteBatch(failed: UUID, _ reason: GraphError) -> GraphError {
        var error = GraphError(
            .incompleteSave,
            "The store \(failed.uuidString) could not do its part of the batch, after others had: \(reason.message)"
        )
        error.underlying = reason
        return error
    }
}
