// SPDX-License-Identifier: Apache-2.0

// Batches, done in SQL as far as sets of rows will do.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public var streamsBatchInserts: Bool { true }

    public func execute(_ batch: StoreBatchRequest) throws -> StoreBatchResult { try execute(batch) { _ in } }

    /// Does a batch in one transaction, which it has alone: the rows of an insertion come but once.
    public func execute(
        _ batch: StoreBatchRequest,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        try execute(batch, nil, telling: tell)
    }

    public func execute(
        _ batch: StoreBatchRequest,
        noting note: PendingNote<StoreBatchResult>,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        try execute(batch, note, telling: tell)
    }

    private func execute(
        _ batch: StoreBatchRequest,
        _ note: PendingNote<StoreBatchResult>?,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try finishLeftSaves()
        let handed = Handed(value: batch)
        if batch.isRehearsal { return try rehearse(handed) }
        return try activity.batch {
            guard let files = tables.files else { return try write(handed, nil, note, telling: tell) }
            let placement = ExternalPlacement(files)
            return try placement.settle { try write(handed, placement, note, telling: tell) }
        }
    }

    /// Does the batch in a transaction that is rolled back.
    private func rehearse(_ batch: Handed<StoreBatchRequest>) throws -> StoreBatchResult {
        do {
            return try activity.batch {
                guard let files = tables.files else { return try write(batch, nil, nil) { _ in } }
                let placement = ExternalPlacement(files)
                return try placement.settle { try write(batch, placement, nil) { _ in } }
            }
        } catch let rehearsal as Rehearsal {
            return StoreBatchResult(
                count: rehearsal.result.count,
                objectIDs: rehearsal.result.objectIDs,
                changes: SavedChanges()
            )
        }
    }

    /// Has everything undone that was written to find out what it comes to.
    private struct Rehearsal: Error {
        let result: StoreBatchResult
    }

    private func write(
        _ batch: Handed<StoreBatchRequest>,
        _ placement: ExternalPlacement?,
        _ note: PendingNote<StoreBatchResult>?,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        let (limits, mark) = (WorkLimits.current, ImportMark.current)
        return try naming {
            try database.writeAlone(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                [tables, keys, limit = options.evaluationLimit] connection in
                if let note { try connection.checkKey(of: note) }
                var work = batch.value
                work.isRehearsal = false
                let writer = BatchWriter(
                    batch: work,
                    connection: connection,
                    tables: tables,
                    allocator: keys,
                    evaluationLimit: limit,
                    placement: placement
                )
                let result = try writer.result()
                if batch.value.isRehearsal { throw Rehearsal(result: result) }
                if let note { try connection.write(note, of: result) }
                try tables.updateSearch(connection)
                try mark?.write(connection)
                try placement?.sync()
                placement?.willCommit()
                connection.afterCommit { tell(result) }
                return result
            }
        }
    }
}

/// Something for a closure that runs while its maker waits.
// Sendable though the value needn't be: the writer runs what it is to do alone on the thread that brought it.
struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
