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
}
