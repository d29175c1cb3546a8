// SPDX-License-Identifier: Apache-2.0

// Reading stores, or a context's parent, without a context.

public import Predicates

/// Reads the rows of a coordinator's stores without creating objects. Unpinned reads by ID use the row cache.
public struct CoordinatorReader: GraphReading {
    public let model: ManagedObjectModel
    private let source: any ObjectSource

    init(_ source: any ObjectSource) {
        model = source.coordinator.model
        self.source = source
    }

    public func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot] {
        try source.snapshots(request.storeRequest(in: model))
    }

    public func rowPage(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> RowPage? {
        try source.rowPage(request.storeRequest(in: model))
    }

    public func objectIDs(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ManagedObjectID] {
        let asked = try request.storeRequest(in: model)
        if source.spansStores(asked) { return try source.snapshots(asked).map(\.objectID) }
        guard case .objectIDs(let objectIDs) = try source.fetch(asked.forObjectIDs) else { return [] }
        return objectIDs
    }

    public func count(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> Int {
        try source.count(request.storeRequest(in: model))
    }

    public func table(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchTable {
        try source.table(request.tableRequest(in: model))
    }

    public func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?] {
        try source.snapshots(of: objects, staleness: nil)
    }

    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest? = nil
    ) throws(GraphError) -> RelatedRows {
        try request?.check(for: relationship, in: model)
        return try source.related(along: relationship, owners: owners, matching: request)
    }

    public func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest? = nil
    ) throws(GraphError) -> RelatedPage? {
        try request?.check(for: relationship, in: model)
        return try source.relatedPage(along: relationship, owners: owners, matching: request)
    }

    public func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject> {
        try source.ranked(request, in: model)
    }

    public func sortKeys(
        of snapshot: Snapshot,
        for request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [Value] {
        try ranked(request).sortKeys(of: StoredObject(snapshot: snapshot, rows: StoredRows([snapshot], of: source)))
    }
}

extension PersistentStoreCoordinator {
    /// Runs a closure that reads rows, as a new context without changes would.
    ///
    ///     let (page, total) = try coordinator.read(pinned: true) { reader in
    ///         (try reader.snapshots(request), try reader.count(all))
    ///     }
    ///
    /// - Parameter pinned: Whether all calls of the closure read the same state of the stores, that of the first. It
    ///   costs a statement or two, and bypasses the row cache. Otherwise each call reads the latest state.
    public func read<Result: Sendable, Failure: Error>(
        pinned: Bool = false,
        _ body: @Sendable (CoordinatorReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let source = StoreSource(coordinator: self)
        if pinned { source.setQueryGeneration(QueryGenerationToken.shared.map(QueryGeneration.token) ?? .current) }
        return try body(CoordinatorReader(source))
    }
}

extension PersistentStoreCoordinator {
    /// Runs a closure that reads a state of the stores.
    package func read<Result, Failure: Error>(
        at state: QueryGenerationToken,
        _ body: (CoordinatorReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let source = StoreSource(coordinator: self)
        source.setQueryGeneration(.token(state))
        return try body(CoordinatorReader(source))
    }

    /// The state for pinned reads: the shared one, or the present one.
    package func sharedQueryGeneration() throws(GraphError) -> QueryGenerationToken {
        if let shared = QueryGenerationToken.shared { return shared }
        return try currentQueryGeneration()
    }

    /// Runs a closure whose pinned reads all use the present state of the stores.
    package func withSharedQueryGeneration<Result>(_ body: () throws -> Result) throws -> Result {
        try QueryGenerationToken.$shared.withValue(currentQueryGeneration(), operation: body)
    }
}
