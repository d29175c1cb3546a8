// SPDX-License-Identifier: Apache-2.0

// Explains how fetches are executed, for diagnosing slow ones.

public import FoundationEssentials
public import Predicates

/// How one store executes a fetch.
public struct FetchExplanation: Hashable, Sendable {
    /// The kind of result, which determines the statement.
    public enum Result: Hashable, Sendable {
        case objects
        case objectIDs
        case count
        case table
    }

    /// The store's identifier.
    public let store: UUID
    /// The SQL, with a question mark for each value; nil for a store that evaluates in memory.
    public var statement: String?
    /// The bound values as SQL has them: dates as seconds since 2001, decimals as numbers or digits.
    public var bindings: [Value]
    /// SQLite's query plan, nested steps after their parents.
    public var queryPlan: [String]
    /// Whether an index or the primary key finds or orders the objects, so that not all are read.
    public var usesIndex: Bool
    /// The parts of the request that are evaluated in memory, each with the reason.
    public var evaluated: [String]

    public init(
        store: UUID,
        statement: String?,
        bindings: [Value] = [],
        queryPlan: [String] = [],
        usesIndex: Bool = false,
        evaluated: [String] = []
    ) {
        self.store = store
        self.statement = statement
        self.bindings = bindings
        self.queryPlan = queryPlan
        self.usesIndex = usesIndex
        self.evaluated = evaluated
    }

    /// For a store that evaluates in memory.
    init(evaluating read: StoreRead, in store: UUID) {
        switch read {
        case .fetch(let request): self.init(evaluating: request, in: store)
        case .related(_, _, let request):
            let parts = request.predicate.map { ["\($0) (the store is in memory)"] } ?? []
            self.init(store: store, statement: nil, evaluated: parts)
        }
    }

    private init(evaluating request: StoreFetchRequest, in store: UUID) {
        var parts = request.predicate.map { ["\($0) (the store is in memory)"] } ?? []
        if let search = request.search { parts.append("searching for \(search.query.text) (the store is in memory)") }
        if !request.sortDescriptors.isEmpty {
            let order = request.sortDescriptors.map(\.description).joined(separator: ", ")
            parts.append("sorting by \(order) (the store is in memory)")
        }
        if case .table(let table) = request.kind, table.isGrouped {
            let keys = table.groupBy.map(\.description).joined(separator: ", ")
            parts.append("grouping\(keys.isEmpty ? "" : " by \(keys)") (the store is in memory)")
        }
        self.init(store: store, statement: nil, evaluated: parts)
    }
}

extension PersistentStoreCoordinator {
    /// Explains a request for each store that it asks, without executing it.
    ///
    ///     for explanation in try coordinator.explain(request) where !explanation.usesIndex {
    ///         print(explanation.statement ?? "in memory")
    ///     }
    public func explain(
        _ request: FetchRequest<ManagedObject>,
        for result: FetchExplanation.Result = .objects
    ) throws(GraphError) -> [FetchExplanation] {
        try explain(request.plain(for: result, in: model), for: result)
    }

    func explain(
        _ plain: StoreFetchRequest,
        for result: FetchExplanation.Result
    ) throws(GraphError) -> [FetchExplanation] {
        let request = try result == .count ? plain : StoreSource(coordinator: self).ranked(plain)
        let stores = try stores(for: request)
        let spansStores = stores.count > 1
        let asked =
            switch result {
            case .objects: request.forRows(spansStores: spansStores)
            case .objectIDs: spansStores ? request.forRows(spansStores: true) : request.forObjectIDs
            case .count: request.forCount
            case .table: spansStores ? request.forRowsOfTable : request
            }
        var explanations: [FetchExplanation] = []
        for store in stores { explanations.append(try GraphError.wrapping { try store.explain(.fetch(asked)) }) }
        return explanations
    }

    /// Explains how the members of an object's relationship would be read; empty if its store isn't attached.
    public func explain(
        along relationship: RelationshipDescription,
        owner: ManagedObjectID,
        matching request: RelatedRequest
    ) throws(GraphError) -> [FetchExplanation] {
        try request.check(for: relationship, in: model)
        guard let store = owner.storeIdentifier.flatMap(store) else { return [] }
        let read = StoreRead.related(along: relationship, owner: owner, matching: request)
        return [try GraphError.wrapping { try store.explain(read) }]
    }
}

extension FetchRequest {
    /// The resolved request for a kind of result.
    func plain(
        for result: FetchExplanation.Result,
        in model: ManagedObjectModel
    ) throws(GraphError) -> StoreFetchRequest {
        try result == .table ? tableRequest(in: model) : storeRequest(in: model)
    }
}
