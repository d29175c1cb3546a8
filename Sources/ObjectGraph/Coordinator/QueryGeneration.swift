// SPDX-License-Identifier: Apache-2.0

// Reading one state of the stores for a while, whatever others save.

import FoundationEssentials

/// One state of all stores that a coordinator had at a time. It can be read as long as somebody holds the token.
public final class QueryGenerationToken: Sendable {
    private let generations: [UUID: any StoreGeneration]

    /// The state that pinned reads are of, where several are to be of the same.
    @TaskLocal static var shared: QueryGenerationToken?

    init(_ generations: [UUID: any StoreGeneration]) {
        self.generations = generations
    }

    /// The state of a store; nil for one that was added later, which has nothing to be seen of.
    func generation(of store: any PersistentStore) -> (any StoreGeneration)? { generations[store.identifier] }
}

/// What a context reads.
public enum QueryGeneration: Sendable {
    /// Whatever the stores have when they are asked.
    case unpinned
    /// The state that the stores are in when they are asked next, and that state from then on.
    case current
    /// The state of a token.
    case token(QueryGenerationToken)
}

extension ManagedObjectContext {
    /// Chooses the state of the stores that the context reads. Objects that it has already stay as they are.
    ///
    /// A save of the context, and merging those of others, move on to the state after it; batch requests don't.
    ///
    ///     try context.setQueryGeneration(.current)
    ///     let posts = try context.fetch(FetchRequest<Post>())  // from here on nothing changes beneath
    public func setQueryGeneration(_ generation: QueryGeneration) throws(GraphError) {
        confinement.check()
        try source.setQueryGeneration(generation)
    }

    /// The state that the context is pinned to; nil where it reads whatever there is, and before the first read of a state
    /// that is yet to be chosen.
    public var queryGenerationToken: QueryGenerationToken? { source.queryGenerationToken }
}

extension GraphError {
    static let pinnedChild = GraphError(
        .invalidRequest,
        "A child context reads what its parent has and can't be pinned to a query generation.",
        hint: "Pin the parent."
    )
}
