// SPDX-License-Identifier: Apache-2.0

// Fetches without objects; results of several stores are combined here.

import Predicates

extension ObjectSource {
    /// The rows of a request, in order and within its window.
    func snapshots(_ request: StoreFetchRequest) throws(GraphError) -> [Snapshot] {
        let request = try ranked(request)
        let spansStores = spansStores(request)
        guard case .snapshots(let snapshots) = try fetch(request.forRows(spansStores: spansStores)) else { return [] }
        guard spansStores else { return snapshots }
        guard request.isOrdered else { return request.window(of: snapshots) }
        let rows = StoredRows(snapshots, of: self)
        do {
            let ordered = try request.ordered(snapshots.map { StoredObject(snapshot: $0, rows: rows) })
            return request.window(of: ordered).map(\.snapshot)
        } catch {
            throw .evaluation(error)
        }
    }

    /// The number of rows of a request, within its window.
    func count(_ request: StoreFetchRequest) throws(GraphError) -> Int {
        guard case .count(let count) = try fetch(request.forCount) else { return 0 }
        return min(max(count - request.offset, 0), request.limit ?? .max)
    }

    /// The table of a request. Objects of several stores may belong to one group, so these are combined here.
    func table(_ request: StoreFetchRequest) throws(GraphError) -> FetchTable {
        let request = try ranked(request)
        guard case .table(let table) = request.kind else { return FetchTable(columns: [], rows: []) }
        guard spansStores(request) else {
            guard case .table(let found) = try fetch(request) else {
                throw GraphError(.store, "The store didn't return a table.")
            }
            return found
        }
        guard case .snapshots(let snapshots) = try fetch(request.forRowsOfTable) else {
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

// MARK: What each store is asked

extension StoreFetchRequest {
    /// For rows; with several stores, the window is applied here.
    func forRows(spansStores: Bool) -> StoreFetchRequest {
        var asked = spansStores ? widened() : self
        asked.kind = .snapshots
        return asked
    }

    /// For the IDs of a single store.
    var forObjectIDs: StoreFetchRequest {
        var asked = self
        asked.kind = .objectIDs
        return asked
    }

    /// For a count, which doesn't depend on the order.
    var forCount: StoreFetchRequest {
        var asked = widened()
        asked.kind = .count
        asked.sortDescriptors = []
        return asked
    }

    /// For the rows that a table of several stores is computed from.
    var forRowsOfTable: StoreFetchRequest {
        var asked = self
        asked.kind = .snapshots
        asked.sortDescriptors = []
        asked.offset = 0
        asked.limit = nil
        asked.search?.isRanked = false
        return asked
    }
}
