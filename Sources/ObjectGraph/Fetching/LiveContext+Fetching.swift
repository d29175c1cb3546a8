// SPDX-License-Identifier: Apache-2.0

// Large fetches in batches, with progress and cancellation, that leave the context available in between.

/// The progress of an asynchronous fetch.
public struct FetchProgress: Hashable, Sendable {
    public let completed: Int
    public let total: Int
}

extension LiveContext {
    /// The results of a closure for each object of a request, in order.
    ///
    ///     let titles = try await live.fetch(FetchRequest<Post>()) { post in post.title }
    ///
    /// Objects are read `fetchBatchSize` at a time, by default a hundred. The context is available to others between
    /// batches, and a cancelled task throws a `CancellationError`. Objects that are deleted meanwhile are left out.
    ///
    /// - Parameter progress: Called before the first batch and after each.
    public func fetch<Object, Element: Sendable>(
        _ request: FetchRequest<Object>,
        progress: (@Sendable (FetchProgress) -> Void)? = nil,
        transform: @Sendable (Object) throws -> Element
    ) async throws -> [Element] {
        try Task.checkCancellation()
        let ids = try perform { context in try context.objectIDs(request) }
        let batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        var elements: [Element] = []
        progress?(FetchProgress(completed: 0, total: ids.count))
        for start in stride(from: 0, to: ids.count, by: batchSize) {
            if start > 0 { await Task.yield() }
            try Task.checkCancellation()
            let batch = ids[start..<min(start + batchSize, ids.count)]
            elements += try perform { context in
                let objects = try context.objects(batch, for: request)
                return try objects.filter { !$0.isDeleted && !$0.status.contains(.missing) }.map { object in
                    guard let typed = object as? Object else {
                        throw GraphError.unregisteredClass(Object.self, for: object.entity)
                    }
                    return try transform(typed)
                }
            }
            progress?(FetchProgress(completed: batch.endIndex, total: ids.count))
        }
        return elements
    }
}
