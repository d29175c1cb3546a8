// SPDX-License-Identifier: Apache-2.0

// Reading one state of the stores while others save.

import FoundationEssentials

/// A state of all stores of a coordinator at one time. It can be read as long as the token is referenced.
public final class QueryGenerationToken: Sendable {
    private let generations: [UUID: any StoreGeneration]

    /// The state that pinned reads use if several must read the same one.
    @TaskLocal static var shared: QueryGenerationToken?

    init(_ generations: [UUID: any StoreGeneration]) {
        self.generations = generations
    }

    /// The generation of a store, or nil for a store that was added later.
    func generation(of store: any PersistentStore) -> (any StoreGeneration)? { generations[store.identifier] }
}

/// The state of the stores that a context reads.
public enum QueryGeneration: Sendable {
    /// The latest state at each read.
    case unpinned
    /// Pins to the state of the next read.
    case current
    /// The state of a token.
    case token(QueryGenerationToken)
}

extension ManagedObjectContext {
    /// Chooses the state of the stores that the context reads. Registered objects stay as they are.
    ///
    /// A save of the context, or a merge, advances it to the state after that; batch requests don't.
    ///
    ///     try context.setQueryGeneration(.current)
    ///     let posts = try context.fetch(FetchRequest<Post>())  // from here on the state is fixed
    public func setQueryGeneration(_ generation: QueryGeneration) throws(GraphError) {
        confinement.check()
        try source.setQueryGeneration(generation)
    }

    /// The state that the context is pinned to, or nil if it is unpinned or hasn't read yet.
    public var queryGenerationToken: QueryGenerationToken? { source.queryGenerationToken }
}

extension GraphError {
    static let pinnedChild = GraphError(
        .invalidRequest,
        "A child context reads from its parent, and can't be pinned to a query generation.",
        hint: "Pin the parent."
    )
}
