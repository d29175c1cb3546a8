// SPDX-License-Identifier: Apache-2.0

// Passes batches to the stores, and notifies all live contexts.

import FoundationEssentials
import Synchronization

/// The origin of a batch, its note, and the merge after it was written.
struct BatchAuthor {
    let origin: SaveOrigin
    /// Whether the batch is rolled back.
    var isRehearsal = false
    /// The note kept with the batch.
    let note: PendingNote<BatchResult>?
    let merging: (SavedChanges) throws(GraphError) -> Void

    init(
        _ origin: SaveOrigin,
        noting note: PendingNote<BatchResult>? = nil,
        merging: @escaping (SavedChanges) throws(GraphError) -> Void = { _ in }
    ) {
        self.origin = origin
        self.note = note
        self.merging = merging
    }

    /// The same for a rehearsal, or unchanged.
    func rehearsing(_ isRehearsal: Bool) -> BatchAuthor {
        guard isRehearsal else { return self }
        var author = BatchAuthor(origin)
        author.isRehearsal = true
        return author
    }
}

extension PersistentStoreCoordinator {
    func execute(
        _ operation: StoreBatchRequest.Operation,
        on stores: [any PersistentStore],
        having rows: StoreFetchRequest,
        limit maximum: Int?,
        returning resultType: BatchResultType,
        as author: BatchAuthor
    ) throws(GraphError) -> BatchResult {
        let affected = stores.count == 1 ? stores : try self.stores(stores, having: rows, limit: maximum)
        guard affected.count > 1 else {
            let store = affected.first ?? stores[0]
            return try write(operation, to: store, limit: maximum, returning: resultType, as: author)
        }
        let operations = affected.map { ($0, operation) }
        return try executeJointly(operations, limit: maximum, returning: resultType, as: author)
    }

    /// The stores in which a batch finds objects. Exceeding the maximum is detected before any is read.
    private func stores(
        _ stores: [any PersistentStore],
        having rows: StoreFetchRequest,
        limit maximum: Int?
    ) throws(GraphError) -> [any PersistentStore] {
        var request = rows
        request.kind = .count
        var affected: [any PersistentStore] = []
        var found = 0
        for store in stores {
            let answer = try GraphError.wrapping { try store.fetch(request, at: nil) }
            guard case .count(let count) = answer, count > 0 else { continue }
            found += count
            affected.append(store)
        }
        if let maximum, found > maximum { throw .limitExceeded(maximum) }
        return affected
    }

    func batch(
        _ operation: StoreBatchRequest.Operation,
        returning resultType: BatchResultType,
        maximum: Int? = nil
    ) -> StoreBatchRequest {
        StoreBatchRequest(
            model: model,
            operation: operation,
            maximum: maximum,
            returnsObjectIDs: resultType == .objectIDs
        )
    }

    /// Executes a batch in one store.
    func write(
        _ operation: StoreBatchRequest.Operation,
        to store: any PersistentStore,
        limit maximum: Int?,
        returning resultType: BatchResultType,
        as author: BatchAuthor
    ) throws(GraphError) -> BatchResult {
        var result = BatchResult()
        let batch = batch(operation, returning: resultType, maximum: maximum)
        try write(batch, to: store, into: &result, as: author)
        return result
    }

    /// Contexts are notified of batches and saves in commit order. The executing context merges the batch after that,
    /// since its objects may save in turn.
    func write(
        _ batch: StoreBatchRequest,
        to store: any PersistentStore,
        into result: inout BatchResult,
        as author: BatchAuthor
    ) throws(GraphError) {
        var batch = batch
        batch.isRehearsal = author.isRehearsal
        let mergedContexts = Atomic(0)
        let source = batch.source
        let properties = batch.setProperties
        func execute() throws(GraphError) -> StoreBatchResult {
            try GraphError.wrapping {
                guard author.note == nil || store.keepsNotes else { throw GraphError.noteUnkept(store.identifier) }
                // The contexts that will merge the batch aren't known yet; a note has the number of candidates.
                let note = author.note?.guarded(by: self).adapted { [live] (done: StoreBatchResult) in
                    var result = BatchResult()
                    result.add(done, mergedContexts: done.changes.isEmpty ? 0 : live.count)
                    return result
                }
                let commit = Commit(note: note) { [self, origin = author.origin] done in
                    var changes = done.changes
                    changes.source = source
                    changes.properties = properties
                    mergedContexts.store(publish(changes, of: origin, except: nil), ordering: .relaxed)
                }
                return try store.execute(batch, commit: commit)
            }
        }
        let start = ContinuousClock.now
        let done =
            if store.acceptsConcurrentSaves {
                try execute()
            } else {
                try saving.withLock { _ throws(GraphError) in try execute() }
            }
        let time = ContinuousClock.now - start
        timings.batches.withLock { $0.add(time, objects: done.count) }
        result.add(done, mergedContexts: mergedContexts.load(ordering: .relaxed))
        if author.isRehearsal { return }
        observers.deliver()
        do {
            try WorkLimits.withoutLimits { try author.merging(done.changes) }
        } catch {
            throw .ofStore(error)
        }
    }
}
