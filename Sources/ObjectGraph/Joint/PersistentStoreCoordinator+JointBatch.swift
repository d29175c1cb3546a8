// SPDX-License-Identifier: Apache-2.0

// Batches over several stores: evaluated row by row, and written as one joint save.

import FoundationEssentials
import Predicates
import Synchronization

/// The operation of a batch in one of several stores.
typealias StoreBatchOperation = (store: any PersistentStore, operation: StoreBatchRequest.Operation)

/// A batch in one store as a save.
private struct BatchPart: Sendable {
    let store: any PersistentStore
    let request: StoreSaveRequest
    let result: @Sendable ([Snapshot]) -> StoreBatchResult
}

extension PersistentStoreCoordinator {
    /// Executes a batch in several stores as a whole, and retries after conflicts.
    func writeJointly(
        _ operations: [StoreBatchOperation],
        maximum: Int?,
        returning resultType: BatchResultType,
        for caller: BatchCaller
    ) throws(GraphError) -> BatchResult {
        let start = ContinuousClock.now
        for _ in 0..<100 {
            let graphs: [RowGraph]
            let parts: [BatchPart]
            do {
                (graphs, parts) = try self.parts(of: operations, maximum: maximum, returning: resultType)
            } catch {
                throw .ofStore(error)
            }
            let mergedContexts = Atomic(0)
            switch try save(
                parts,
                of: operations,
                for: caller,
                whenPublished: { mergedContexts.store($0, ordering: .relaxed) }
            ) {
            case .conflicts(let conflicts):
                rowCache.forget(conflicts.overtaken)
                guard !conflicts.constraints.isEmpty else { continue }
                let stores = conflicts.constraints.flatMap(\.objects).compactMap(\.storeIdentifier)
                let graph = graphs.first { stores.contains($0.store.identifier) }
                throw graph?.error(for: conflicts.constraints) ?? .constraintConflicts(conflicts.constraints)
            case .saved(let written):
                var result = BatchResult()
                let done = parts.map { $0.result(written[$0.store.identifier] ?? []) }
                for one in done { result.add(one, mergedContexts: mergedContexts.load(ordering: .relaxed)) }
                let time = ContinuousClock.now - start
                timings.batches.withLock { [count = result.count] in $0.add(time, objects: count) }
                if caller.isRehearsal { return result }
                observers.deliver()
                do {
                    try WorkLimits.withoutLimits { for one in done { try caller.merging(one.changes) } }
                } catch {
                    throw .ofStore(error)
                }
                return result
            }
        }
        throw GraphError(.conflict, "Other writers changed the objects of a batch again and again.")
    }

    /// The saves of the batch in each store, based on the present rows.
    private func parts(
        of operations: [StoreBatchOperation],
        maximum: Int?,
        returning resultType: BatchResultType
    ) throws -> ([RowGraph], [BatchPart]) {
        var count = 0
        var graphs: [RowGraph] = []
        var parts: [BatchPart] = []
        for (store, operation) in operations {
            let batch = batch(operation, returning: resultType, maximum: maximum.map { max(0, $0 - count) })
            let graph = RowGraph(of: store, model: model, maximum: batch.maximum)
            let touched = try graph.apply(operation, rows: [])
            count += touched.count
            let objectIDs = batch.returnsObjectIDs ? touched : []
            let planned = graph.plannedChanges
            let number = touched.count
            graphs.append(graph)
            parts.append(
                BatchPart(store: store, request: try graph.saveRequest()) { written in
                    StoreBatchResult(
                        count: number,
                        objectIDs: objectIDs,
                        changes: planned.savedChanges(written: written)
                    )
                }
            )
        }
        return (graphs, parts)
    }

    private func save(
        _ parts: [BatchPart],
        of operations: [StoreBatchOperation],
        for caller: BatchCaller,
        whenPublished: @escaping @Sendable (Int) -> Void
    ) throws(GraphError) -> JointSaveOutcome {
        let batch = batch(operations[0].operation, returning: .status)
        let source = batch.source
        let properties = batch.setProperties
        let joint = parts.filter { !$0.request.isEmpty }.map { part in
            let commit = Commit(origin: caller.origin) {
                [self, origin = caller.origin] (written: [Snapshot], transaction) in
                let position = CommitPosition(store: part.store.identifier, transaction: transaction)
                var changes = part.result(written).changes
                changes.source = source
                changes.properties = properties
                whenPublished(publish(changes, of: origin, at: position, except: nil))
            }
            return JointSavePart(store: part.store, request: part.request, commit: commit)
        }
        if caller.isRehearsal { return try rehearse(joint) }
        guard !joint.isEmpty else {
            if let note = caller.note { try keep(note, of: parts) }
            return .saved([:])
        }
        let note = caller.note?.guarded(by: self).adapted { [live] (written: [Snapshot]) in
            let rows = Dictionary(grouping: written) { $0.objectID.storeIdentifier }
            var result = BatchResult()
            for part in parts { result.add(part.result(rows[part.store.identifier] ?? []), mergedContexts: live.count) }
            return result
        }
        return try saving.withLock { _ throws(GraphError) in try JointSaveRun(joint, noting: note).run() }
    }

    /// The outcome that the saves would have.
    private func rehearse(_ parts: [JointSavePart]) throws(GraphError) -> JointSaveOutcome {
        var rows: [UUID: [Snapshot]] = [:]
        for part in parts {
            switch try GraphError.wrapping({ try part.store.rehearse(part.request) }) {
            case .saved(let saved): rows[part.store.identifier] = saved
            case .conflicts(let conflicts): return .conflicts(conflicts)
            }
        }
        return .saved(rows)
    }

    /// Keeps the note of a batch that changes no rows.
    private func keep(_ note: PendingNote<BatchResult>, of parts: [BatchPart]) throws(GraphError) {
        var result = BatchResult()
        for part in parts { result.add(part.result([]), mergedContexts: 0) }
        try keep(note.adapted { [result] (_: BatchResult) in result })
    }
}
