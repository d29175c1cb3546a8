// SPDX-License-Identifier: Apache-2.0

// Passes batches to the stores, and notifies all live contexts.

import FoundationEssentials
import Synchronization

/// The origin of a batch, its note, and the merge after it was written.
struct BatchCaller {
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

    /// For a rehearsal: without the note and the merge, since nothing is kept. Otherwise unchanged.
    func rehearsing(_ isRehearsal: Bool) -> BatchCaller {
        guard isRehearsal else { return self }
        var caller = BatchCaller(origin)
        caller.isRehearsal = true
        return caller
    }
}

extension PersistentStoreCoordinator {
    /// Executes a batch in the stores in which it finds objects.
    func write(
        _ operation: StoreBatchRequest.Operation,
        to stores: [any PersistentStore],
        having rows: StoreFetchRequest,
        maximum: Int?,
        returning resultType: BatchResultType,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        let affected = stores.count == 1 ? stores : try self.stores(stores, having: rows, maximum: maximum)
        guard affected.count > 1 else {
            let store = affected.first ?? stores[0]
            return try writeAlone(operation, to: store, maximum: maximum, returning: resultType, for: caller)
        }
        let operations = affected.map { ($0, operation) }
        return try writeJointly(operations, maximum: maximum, returning: resultType, for: caller)
    }

    /// The stores in which a batch finds objects. Throws if the total exceeds the maximum, before any row is loaded.
    private func stores(
        _ stores: [any PersistentStore],
        having rows: StoreFetchRequest,
        maximum: Int?
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
    func writeAlone(
        _ operation: StoreBatchRequest.Operation,
        to store: any PersistentStore,
        maximum: Int?,
        returning resultType: BatchResultType,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        var result = BatchResult()
        let batch = batch(operation, returning: resultType, maximum: maximum)
        try write(batch, to: store, into: &result, for: caller)
        return result
    }

    /// Contexts are notified of batches and saves in commit order. The executing context merges the batch last, because
    /// its hooks may themselves save.
    func write(
        _ batch: StoreBatchRequest,
        to store: any PersistentStore,
        into result: inout BatchResult,
        for caller: BatchCaller
    ) throws(GraphError) {
        var batch = batch
        batch.isRehearsal = caller.isRehearsal
        let mergedContexts = Atomic(0)
        let source = batch.source
        let properties = batch.setProperties
        func executeInStore() throws(GraphError) -> StoreBatchResult {
            try GraphError.wrapping {
                guard caller.note == nil || store.keepsNotes else { throw GraphError.noteUnkept(store.identifier) }
                // A note is written before the commit, so its answer counts the contexts live at that moment.
                let note = caller.note?.guarded(by: self).adapted { [live] (done: StoreBatchResult) in
                    var result = BatchResult()
                    result.add(done, mergedContexts: done.changes.isEmpty ? 0 : live.count)
                    return result
                }
                let commit = Commit(origin: caller.origin, note: note) {
                    [self, origin = caller.origin] done, transaction in
                    var changes = done.changes
                    changes.source = source
                    changes.properties = properties
                    let position = CommitPosition(store: store.identifier, transaction: transaction)
                    let count = publish(changes, of: origin, at: position, except: nil)
                    mergedContexts.store(count, ordering: .relaxed)
                }
                return try store.execute(batch, commit: commit)
            }
        }
        let start = ContinuousClock.now
        let done =
            if store.acceptsConcurrentSaves {
                try executeInStore()
            } else {
                try saving.withLock { _ throws(GraphError) in try executeInStore() }
            }
        let time = ContinuousClock.now - start
        timings.batches.withLock { $0.add(time, objects: done.count) }
        result.add(done, mergedContexts: mergedContexts.load(ordering: .relaxed))
        if caller.isRehearsal { return }
        observers.deliver()
        do {
            try WorkLimits.withoutLimits { try caller.merging(done.changes) }
        } catch {
            throw .ofStore(error)
        }
    }
}
