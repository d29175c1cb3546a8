// SPDX-License-Identifier: Apache-2.0

// Requests for the history of a coordinator's stores.

public import FoundationEssentials
public import Predicates

/// Which transactions and changes to read.
///
///     var request = HistoryRequest(after: token)
///     request.filter.entities = [posts]
///     request.predicate = try ObjectPredicate(format: "author != %@", "importer")
public struct HistoryRequest: Sendable {
    /// The position after which to read; nil for everything that the stores keep.
    public var token: HistoryToken?
    public var filter = HistoryFilter()
    /// A condition for transactions. Its key paths are `author`, `contextName`, `processID`, `bundleID`, `timestamp`
    /// and `transactionNumber`.
    public var predicate: ObjectPredicate?
    /// A condition for changes. Its key paths are `changeType` (0, 1 and 2 for insertions, updates and deletions),
    /// `changedObjectID`, `changedEntity` (a name), `updatedProperties` (names), `changeID`, and `transaction`, with the
    /// key paths of transactions behind it.
    public var changePredicate: ObjectPredicate?
    /// The maximum number of transactions.
    public var limit = 500
    /// The maximum number of changes. Of a transaction with more, only a part is returned, and the rest follows.
    public var changeLimit = 10_000

    public init(after token: HistoryToken? = nil) {
        self.token = token
    }
}

/// The changes that a request selects, without a predicate.
public struct HistoryFilter: Hashable, Sendable {
    /// Changes of objects of these entities and their subentities; nil for all entities.
    public var entities: [EntityDescription]?
    /// Changes of this object.
    public var object: ManagedObjectID?
    /// Changes of these kinds.
    public var kinds: Set<HistoryChange.Kind>?
    /// Transactions of this author.
    public var author: String?
    /// Transactions since this time.
    public var since: Date?
    /// Transactions before this time.
    public var before: Date?

    public init() {}
}

/// The result of a request for history.
public struct HistoryResult: Sendable {
    /// In order within each store; those of several stores by time. Transactions without requested changes are omitted.
    public var transactions: [HistoryTransaction]
    /// The position behind the result, for the next request.
    public var token: HistoryToken
    /// Whether there is more behind the token now.
    public var hasMore: Bool
}
