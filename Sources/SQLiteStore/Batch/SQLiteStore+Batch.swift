// SPDX-License-Identifier: Apache-2.0

// Batches, executed in SQL on sets of rows where possible.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public var streamsBatchInserts: Bool { true }

    /// Executes a batch in a transaction of its own, since an insertion's rows can be read only once. A rehearsal is
    /// rolled back.
    public func execute(
        _ batch: StoreBatchRequest,
        commit: Commit<StoreBatchResult> = Commit()
    ) throws -> StoreBatchResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try completeUnfinishedSaves()
        let transfer = UncheckedTransfer(value: batch)
        do {
            return try activity.batch {
                guard let files = tables.files else { return try write(transfer, nil, commit) }
                let placement = ExternalPlacement(files)
                return try placement.finish { try write(transfer, placement, commit) }
            }
        } catch let rehearsal as Rehearsal {
            return StoreBatchResult(
                count: rehearsal.result.count,
                objectIDs: rehearsal.result.objectIDs,
                changes: SavedChanges()
            )
        }
    }

    /// Thrown to roll back a rehearsal's writes.
    private struct Rehearsal: Error {
        let result: StoreBatchResult
    }

    private func write(
        _ batch: UncheckedTransfer<StoreBatchRequest>,
        _ placement: ExternalPlacement?,
        _ commit: Commit<StoreBatchResult>
    ) throws -> StoreBatchResult {
        let limits = WorkLimits.current
        return try naming {
            try database.writeAlone(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                [tables, keys, limit = options.evaluationLimit] connection in
                try connection.checkNote(of: commit)
                // Row by row, a rehearsal is written too; throwing `Rehearsal` rolls it back.
                var work = batch.value
                work.isRehearsal = false
                let history = try HistoryWriter(tables, connection, of: commit.origin)
                let writer = BatchWriter(
                    batch: work,
                    connection: connection,
                    tables: tables,
                    allocator: keys,
                    evaluationLimit: limit,
                    placement: placement,
                    history: history
                )
                let result = try writer.run()
                if batch.value.isRehearsal { throw Rehearsal(result: result) }
                try tables.modelRecord?.write(connection)
                try connection.write(commit, of: result, as: history?.number)
                try tables.updateSearch(connection)
                try placement?.sync()
                placement?.willCommit()
                return result
            }
        }
    }
}

/// Transfers a value to a closure that runs while the caller waits.
// Sendable although the value needn't be: a writer's job runs alone, on the thread that submitted it.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value
}
