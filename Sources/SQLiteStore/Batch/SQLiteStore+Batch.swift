// SPDX-License-Identifier: Apache-2.0

// Batches, done in SQL as far as sets of rows will do.

public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public var streamsBatchInserts: Bool { true }

    /// Does a batch in one transaction, which it has alone: the rows of an insertion come but once.
    public func execute(
        _ batch: StoreBatchRequest,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        let handed = Handed(value: batch)
        do {
            return try database.exclusively { [tables] connection in
                try connection.transaction(.immediate) {
                    let result = try BatchWriter(handed.value, connection, tables).result()
                    connection.afterCommit { tell(result) }
                    return result
                }
            }
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

/// Something for a closure that runs while its maker waits.
// Sendable though the value needn't be: the writer runs what it is to do alone on the thread that brought it.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
