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
        let handed = Handed(value: batch)
        return try activity.batch {
            guard let files = tables.files else { return try write(handed, nil, note, telling: tell) }
            let placement = ExternalPlacement(files)
            return try placement.settle { try write(handed, placement, note, telling: tell) }
        }
    }

    private func write(
        _ batch: Handed<StoreBatchRequest>,
        _ placement: ExternalPlacement?,
        _ note: PendingNote<StoreBatchResult>?,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        let (limits, mark) = (WorkLimits.current, ImportMark.current)
        return try naming {
            try database.exclusively(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                [tables, limit = options.evaluationLimit] connection in
                try connection.transaction(.immediate) {
                    if let note { try connection.checkKey(of: note) }
                    let writer = BatchWriter(
                        batch: batch.value,
                        connection: connection,
                        tables: tables,
                        evaluationLimit: limit,
                        placement: placement
                    )
                    let result = try writer.result()
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
}

/// Something for a closure that runs while its maker waits.
// Sendable though the value needn't be: the writer runs what it is to do alone on the thread that brought it.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
