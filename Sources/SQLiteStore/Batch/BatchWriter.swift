// SPDX-License-Identifier: Apache-2.0

// A batch within a transaction: by sets of rows, or row by row where those won't do.

import ObjectGraph
import SQLiteDriver

/// Does one batch.
///
/// 1. What sets won't do, or what speaks against the batch, is found before anything is written. It is then done row by row, as
///    every store's batches are, within the same transaction; that also says what is wrong with which row.
/// 2. Of the rows that sets have changed only the IDs are told.
struct BatchWriter {
    let batch: StoreBatchRequest
    let connection: Connection
    let tables: StoreTables

    init(_ batch: StoreBatchRequest, _ connection: Connection, _ tables: StoreTables) {
        (self.batch, self.connection, self.tables) = (batch, connection, tables)
    }

    func result() throws -> StoreBatchResult {
        switch batch.operation {
        case .insert(let insertion):
            var inserting = BatchInsertion(insertion, batch, connection, tables)
            return try inserting.result()
        case .update(let update): return try BatchUpdate(update, batch, connection, tables).result() ?? rowByRow()
        case .delete, .deleteObjects: return try BatchDeletion(batch, connection, tables).result() ?? rowByRow()
        }
    }

    private func rowByRow() throws -> StoreBatchResult {
        try TransactionStore(connection, tables, BatchKeys(connection)).execute(batch)
    }
}
