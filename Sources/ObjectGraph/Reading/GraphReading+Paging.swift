// SPDX-License-Identifier: Apache-2.0

// Reads a list page by page.

public import Predicates

extension GraphReading {
    /// The first rows of a request in its keyed order, or those after another row, up to its limit. Rows are neither
    /// skipped nor repeated, whatever is inserted or deleted between pages.
    ///
    ///     var page = try reader.page(request)
    ///     while let last = page.last {
    ///         page = try reader.page(request, after: reader.sortKeys(of: last, for: request))
    ///     }
    public func page(
        _ request: FetchRequest<ManagedObject>,
        after keys: [Value]? = nil
    ) throws(GraphError) -> [Snapshot] {
        guard let keys else {
            var first = request
            first.sortDescriptors = request.keyedSortDescriptors
            return try snapshots(first)
        }
        var rows: [Snapshot] = []
        for var part in try request.continuations(after: keys, in: model) {
            if request.fetchLimit > 0 {
                guard rows.count < request.fetchLimit else { break }
                part.fetchLimit = request.fetchLimit - rows.count
            }
            rows += try snapshots(part)
        }
        return rows
    }
    /// The rows of `page(_:after:)` in the form of `rowPage(_:)`.
    public func rowPage(
        _ request: FetchRequest<ManagedObject>,
        after keys: [Value]?
    ) throws(GraphError) -> RowPage? {
        guard let keys else {
            var first = request
            first.sortDescriptors = request.keyedSortDescriptors
            return try rowPage(first)
        }
        var rows: RowPage?
        for var part in try request.continuations(after: keys, in: model) {
            if request.fetchLimit > 0 {
                let count = rows?.count ?? 0
                guard count < request.fetchLimit else { break }
                part.fetchLimit = request.fetchLimit - count
            }
            guard let found = try rowPage(part) else { return nil }
            rows = rows.map { $0.isEmpty ? found : $0.followed(by: found) } ?? found
        }
        return rows
    }
}
