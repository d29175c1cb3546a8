// SPDX-License-Identifier: Apache-2.0

// Fetching values instead of objects: columns, groups, aggregates. The stores compute them unless pending changes
// affect them.

import FoundationEssentials
public import Predicates

extension ManagedObjectContext {
    /// The requested values, as a dictionary for each object or group. Nil values are left out, objects are references.
    ///
    ///     var request = FetchRequest<Post>()
    ///     request.propertiesToFetch = ["author.name", ExpressionDescription("posts", .count)]
    ///     request.propertiesToGroupBy = ["author.name"]
    ///     request.havingPredicate = try ObjectPredicate("posts > 3")
    ///     try context.dictionaries(request)   // [["author.name": "Ada", "posts": 4]]
    public func dictionaries<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> [[String: Value]] {
        try table(request).dictionaries
    }

    /// The same as columns and rows.
    public func table<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> FetchTable {
        try table(request.tableRequest(in: model), includingPending: request.includesPendingChanges)
    }

    func table(_ request: StoreFetchRequest, includingPending: Bool = true) throws(GraphError) -> FetchTable {
        confinement.check()
        let (asked, overlay) = try prepare(request, includingPending: includingPending)
        guard let table = asked.table, let overlay else { return try source.table(asked) }
        do {
            guard table.isGrouped || table.isDistinct else {
                let found = try objects(asked, overlay, as: .snapshots)
                try prefetch(along: KeyPathTree(from: asked.entity, table: table, in: model), of: found)
                return try asked.ofAll.table(table, of: found)
            }
            guard case .snapshots(let rows) = try source.fetch(asked.forRowsOfTable) else {
                return FetchTable(columns: table.columns.map(\.name), rows: [])
            }
            return try asked.ofMatching.table(table, of: overlay.matching(rows, in: self))
        } catch {
            throw .evaluation(error)
        }
    }

    /// Passes the rows to a closure in parts, to limit memory. All are of one state of the stores. Grouped and distinct
    /// rows come all at once, as do those of several stores, and those affected by pending changes.
    ///
    ///     try context.tables(request) { table in print(table.rows.count) }
    public func tables<Object>(
        _ request: FetchRequest<Object>,
        rows count: Int = 100,
        _ body: (FetchTable) throws -> Void
    ) throws {
        confinement.check()
        let asked = try request.tableRequest(in: model)
        guard let stores = source as? StoreSource, let table = asked.table, !table.isGrouped, !table.isDistinct,
            !stores.spansStores(asked), !request.includesPendingChanges || !hasChanges
        else { return try body(self.table(asked, includingPending: request.includesPendingChanges)) }
        // The closure may move the context on to another state.
        let state = try stores.currentState()
        func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
            try stores.reading(state) { () throws(GraphError) in try stores.fetch(request) }
        }
        var part = asked
        part.kind = .objectIDs
        guard case .objectIDs(let objects) = try fetch(part) else { return }
        part.kind = asked.kind
        part.offset = 0
        part.limit = nil
        for start in stride(from: 0, to: objects.count, by: max(1, count)) {
            let some = objects[start..<min(start + max(1, count), objects.count)]
            part.predicate = try ObjectPredicate("SELF IN %@", Value.array(some.map(\.value)))
            guard case .table(let rows) = try fetch(part) else { return }
            try body(rows)
        }
    }
}

extension StoreFetchRequest {
    var table: TableRequest? {
        if case .table(let table) = kind { table } else { nil }
    }

    /// For a table over objects that already match.
    fileprivate var ofMatching: StoreFetchRequest {
        var rest = self
        rest.predicate = nil
        rest.search = nil
        return rest
    }

    /// For a table over exactly the given objects, in order.
    fileprivate var ofAll: StoreFetchRequest {
        var rest = ofMatching
        rest.sortDescriptors = []
        rest.offset = 0
        rest.limit = nil
        return rest
    }
}
