// SPDX-License-Identifier: Apache-2.0

// Fetching much without keeping others waiting: batch by batch, with progress, until it is cancelled.

/// How far an asynchronous fetch has come.
public struct FetchProgress: Hashable, Sendable {
    public let completed: Int
    public let total: Int
}

extension LiveContext {
    /// What a closure makes of each object that a request asks for, in the order of the request.
    ///
    ///     let titles = try await live.fetch(FetchRequest<Post>()) { post in post.title }
    ///
    /// Objects are read `fetchBatchSize` at a time, a hundred if none is given. Between batches others use the context, and a
    /// cancelled task ends with a `CancellationError`. Objects that were deleted meanwhile are left out.
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
