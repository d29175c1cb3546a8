// SPDX-License-Identifier: Apache-2.0

// A batch within a transaction: on sets of rows, or row by row where that isn't possible.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// Executes one batch.
///
/// 1. Whatever sets of rows can't express, and every error except those of derived values, is found before anything is
///    written. The batch is then executed row by row, as in any store, within the same transaction; that also reports
///    the error and its row.
/// 2. Rows that an app's triggers have changed are reported as updated.
/// 3. For rows changed as a set, only the IDs are reported.
struct BatchWriter {
    let batch: StoreBatchRequest
    let connection: Connection
    let tables: StoreTables
    let allocator: KeyAllocator?
    /// The maximum number of rows evaluated in memory if SQL can't express a condition.
    let evaluationLimit: Int
    /// Nil if no entity has large values in files.
    let placement: ExternalPlacement?
    /// Nil if no history is kept.
    var history: HistoryWriter?

    func run() throws -> StoreBatchResult {
        _ = tables.triggered.drain(tables)
        let result = try bySets()
        let others = tables.triggered.drain(tables)
        guard !others.isEmpty else {
            try history?.finish()
            return result
        }
        var changes = result.changes
        let reported = Set(changes.namedIDs(.inserted) + changes.namedIDs(.updated))
        let ranges = ObjectIDRangeIndex(changes.ranges(.inserted) + changes.ranges(.updated))
        let unreported = others.filter { !reported.contains($0) && !ranges.contains($0) }
        changes.add(unreported, as: .updated)
        try history?.recordUpdates(of: unreported, setting: nil)
        try history?.finish()
        // The properties that triggers have changed are unknown.
        changes.changedProperties.isIncomplete = true
        return StoreBatchResult(count: result.count, objectIDs: result.objectIDs, changes: changes)
    }

    private func bySets() throws -> StoreBatchResult {
        switch batch.operation {
        case .insert(let insertion):
            var inserting = BatchInsertion(insertion, self)
            return try inserting.run()
        case .update(let update): return try BatchUpdate(update, self).run() ?? rowByRow()
        case .delete, .deleteObjects: return try BatchDeletion(self).run() ?? rowByRow()
        }
    }

    private func rowByRow() throws -> StoreBatchResult {
        try TransactionStore(self, BatchKeys(connection, tables, allocator)).execute(batch, commit: Commit())
    }

    /// The files that columns of some rows name.
    func files(in table: EntityTable, columns: some Sequence<Int>, of keys: SQL) throws -> [ExternalFileName] {
        let columns = Set(columns).sorted().map(table.name(ofColumn:))
        guard placement != nil, !columns.isEmpty else { return [] }
        var files: [ExternalFileName] = []
        try connection.externalNames(in: table.name, columns: columns, keys: keys) { files.append($2) }
        return files
    }

    /// Inserts the rows that a request finds into a key table.
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
