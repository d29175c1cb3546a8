// SPDX-License-Identifier: Apache-2.0

// Fetching values instead of objects: columns, groups, aggregates, as the stores have them.

import FoundationEssentials
public import Predicates

extension ManagedObjectContext {
    /// The values that a request asks for, a dictionary for each object or group. Nil values are left out, objects are
    /// references, and what is pending in the context isn't seen.
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
        confinement.check()
        return try source.table(request.tableRequest(in: model))
    }

    /// The same rows some at a time, so that any number of them takes little memory. All are of one state of the stores. Rows that
    /// stand for groups or must differ come all at once, as do those of several stores.
    ///
    ///     try context.tables(request) { table in print(table.rows.count) }
    public func tables<Object>(
        _ request: FetchRequest<Object>,
        rows count: Int = 100,
        _ body: (FetchTable) throws -> Void
    ) throws {
        confinement.check()
        let asked = try request.tableRequest(in: model)
        let stores = source.stores
        guard case .table(let table) = asked.kind, !table.isGrouped, !table.isDistinct, !stores.isSpread(asked) else {
            return try body(source.table(asked))
        }
        // Whoever takes the rows may have the context go on to another state.
        let state = try stores.currentState()
        func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
            try stores.reading(state) { () throws(GraphError) in try stores.fetch(request) }
        }
        var part = asked
        part.kind = .objectIDs
        guard case .objectIDs(let objects) = try fetch(part) else { return }
        (part.kind, part.offset, part.limit) = (asked.kind, 0, nil)
        for start in stride(from: 0, to: objects.count, by: max(1, count)) {
            let some = objects[start..<min(start + max(1, count), objects.count)]
            part.predicate = try ObjectPredicate("SELF IN %@", Value.array(some.map(\.value)))
            guard case .table(let rows) = try fetch(part) else { return }
            try body(rows)
        }
    }
}
