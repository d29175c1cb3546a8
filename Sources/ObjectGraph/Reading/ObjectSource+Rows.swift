// SPDX-License-Identifier: Apache-2.0

// Fetches that need no objects, put together here where several stores answer.

import Predicates

extension ObjectSource {
    /// The rows of a request in its order, cut to its window.
    func rows(_ request: StoreFetchRequest) throws(GraphError) -> [Snapshot] {
        let isSpread = isSpread(request)
        var asked = isSpread ? request.widened() : request
        asked.kind = .snapshots
        guard case .snapshots(let snapshots) = try fetch(asked) else { return [] }
        guard isSpread else { return snapshots }
        guard !request.sortDescriptors.isEmpty else { return request.window(of: snapshots) }
        let rows = StoredRows(snapshots, of: self)
        do {
            let ordered = try request.ordered(snapshots.map { StoredObject(snapshot: $0, rows: rows) })
            return request.window(of: ordered).map(\.snapshot)
        } catch {
            throw .evaluation(error)
        }
    }

    /// How many rows a request asks for, by its window, too.
    func count(_ request: StoreFetchRequest) throws(GraphError) -> Int {
        var asked = request.widened()
        // Whatever the order, the window is as long.
        (asked.kind, asked.sortDescriptors) = (.count, [])
        guard case .count(let count) = try fetch(asked) else { return 0 }
        return min(max(count - request.offset, 0), request.limit ?? .max)
    }

    /// The table of a request. Objects of several stores may be of one group, so they are put together here.
    func table(_ request: StoreFetchRequest) throws(GraphError) -> FetchTable {
        guard case .table(let table) = request.kind else { return FetchTable(columns: [], rows: []) }
        guard isSpread(request) else {
            guard case .table(let found) = try fetch(request) else {
                throw GraphError(.store, "The store was asked for a table and answered with something else.")
            }
            return found
        }
        var asked = request
        (asked.kind, asked.sortDescriptors, asked.offset, asked.limit) = (.snapshots, [], 0, nil)
        guard case .snapshots(let snapshots) = try fetch(asked) else {
            return FetchTable(columns: table.columns.map(\.name), rows: [])
        }
        let rows = StoredRows(snapshots, of: self)
        var remaining = request
        remaining.predicate = nil
        do {
            return try remaining.table(table, of: snapshots.map { StoredObject(snapshot: $0, rows: rows) })
        } catch {
            throw .evaluation(error)
        }
    }
}
