// SPDX-License-Identifier: Apache-2.0

// A batch within a transaction: by sets of rows, or row by row where those won't do.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// Does one batch.
///
/// 1. What sets won't do, or what speaks against the batch, is found before anything is written. It is then done row by row, as
///    every store's batches are, within the same transaction; that also says what is wrong with which row.
/// 2. Rows that an app's triggers have changed besides are told of as updated ones.
/// 3. Of the rows that sets have changed only the IDs are told.
struct BatchWriter {
    let batch: StoreBatchRequest
    let connection: Connection
    let tables: StoreTables
    let allocator: KeyAllocator
    /// How many rows may be looked at in memory for what SQL can't say.
    let evaluationLimit: Int
    /// Nil where no entity has large values in files.
    let placement: ExternalPlacement?

    func result() throws -> StoreBatchResult {
        _ = tables.triggered.take(tables)
        let result = try bySets()
        let others = tables.triggered.take(tables)
        guard !others.isEmpty else { return result }
        var changes = result.changes
        let told = Set(changes.namedIDs(.inserted) + changes.namedIDs(.updated))
        let ranges = ObjectIDRangeIndex(changes.ranges(.inserted) + changes.ranges(.updated))
        changes.add(others.lazy.filter { !told.contains($0) && !ranges.contains($0) }, as: .updated)
        // What triggers have set, only they know.
        changes.changedProperties.isIncomplete = true
        return StoreBatchResult(count: result.count, objectIDs: result.objectIDs, changes: changes)
    }

    private func bySets() throws -> StoreBatchResult {
        switch batch.operation {
        case .insert(let insertion):
            var inserting = BatchInsertion(insertion, self)
            return try inserting.result()
        case .update(let update): return try BatchUpdate(update, self).result() ?? rowByRow()
        case .delete, .deleteObjects: return try BatchDeletion(self).result() ?? rowByRow()
        }
    }

    private func rowByRow() throws -> StoreBatchResult {
        try TransactionStore(self, BatchKeys(connection, tables, allocator)).execute(batch, commit: Commit())
    }

    /// Notes the rows that a request finds.
    func collect(_ request: StoreFetchRequest, in keys: KeyTable) throws {
        guard var planner = FetchPlanner(request.finding(.objectIDs), tables, now: .now) else { return }
        let plan = planner.plan()
        if plan.remainder == nil {
            let root = tables.schema.rootNumber(of: request.entity)
            return try keys.insert(root: root, "Z_PK, Z_ENT FROM (\(plan.statement))", connection)
        }
        let reader = StoreReader(connection: connection, tables: tables)
        let fetch = StoreFetch(request.finding(.objectIDs), reader, evaluationLimit: evaluationLimit)
        guard case .objectIDs(let objects) = try fetch.result() else { return }
        try keys.insert(objects, tables, connection)
    }
}

extension StoreFetchRequest {
    fileprivate func finding(_ kind: Kind) -> StoreFetchRequest {
        var request = self
        request.kind = kind
        return request
    }
}
