// SPDX-License-Identifier: Apache-2.0

// Fetches of dictionaries.

import ObjectGraph
import Predicates

extension API {
    func table(_ plan: FetchPlan, from reader: some GraphReading) throws -> Reply {
        guard let table = plan.table else { throw Problem(.internal, "A fetch of dictionaries has no columns.") }
        var found: TableDTO
        if table.combinesObjects {
            // Rows that combine several objects have no keys to continue after.
            let limit = limit(of: plan)
            var request = plan.request
            request.fetchLimit = limit + 1
            let rows = limit == 0 ? [] : try reader.table(request).rows
            found = TableDTO(columns: table.columns, rows: Array(rows.prefix(limit)))
            if rows.count > limit { found.next = plan.link?.page("offset", "\(plan.offset + limit)") }
        } else {
            let (rows, cursor) = try rows(plan, from: reader)
            found = TableDTO(columns: table.columns, rows: rows)
            found.next = cursor.flatMap { plan.link?.page("cursor", $0.text(of: plan.binding(in: names))) }
        }
        if plan.countsAll {
            // The number of groups is known only after grouping.
            found.total =
                table.combinesObjects
                ? try reader.table(plan.allPagesRequest).rows.count : try reader.count(plan.countRequest)
        }
        return Reply(.table(found))
    }

    /// A page of rows that each belong to one object, and the cursor of the next page.
    func rows(_ plan: FetchPlan, from reader: some GraphReading) throws -> (rows: [[Value]], next: Cursor?) {
        let limit = limit(of: plan)
        var request = plan.rowRequest
        request.fetchLimit = limit + 1
        let start = try plan.cursor.map { try keys(of: $0, request: request, from: reader) }
        if request.isByRelevance {
            request =
                try start.map { try request.continuations(after: $0, in: catalogue.model)[0] } ?? reader.ranked(request)
        }
        guard limit > 0,
            let (found, hasMore) = try page(
                request,
                limit: limit,
                { try reader.rows($0, after: $0.isByRelevance ? nil : start) }
            )
        else { return ([], nil) }
        let rows = found.map { Array($0.dropLast()) }
        guard hasMore, case .reference(let last)? = found.last?.last, let objectID = names.objectID(forURI: last.uri),
            let row = try WorkLimits.withNewAllowance({ try reader.snapshots(of: [objectID])[0] })
        else { return (rows, nil) }
        return (rows, Cursor(keys: try reader.sortKeys(of: row, for: request)))
    }
}

extension FetchPlan {
    /// The request that counts the rows of a table whose rows each belong to one object.
    fileprivate var countRequest: FetchRequest<ManagedObject> {
        var plan = self
        plan.table = nil
        return plan.allPagesRequest
    }
}

extension GraphReading {
    /// The rows of a table's page in the same order.
    fileprivate func rows(
        _ request: FetchRequest<ManagedObject>,
        after keys: [Value]?
    ) throws(GraphError) -> [[Value]] {
        guard let keys else {
            var first = request
            if !request.isByRelevance { first.sortDescriptors = request.keyedSortDescriptors }
            return try table(first).rows
        }
        var found: [[Value]] = []
        for var part in try request.continuations(after: keys, in: model) where found.count < request.fetchLimit {
            part.fetchLimit = request.fetchLimit - found.count
            found += try table(part).rows
        }
        return found
    }
}
