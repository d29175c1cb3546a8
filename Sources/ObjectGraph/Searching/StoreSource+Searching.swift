// SPDX-License-Identifier: Apache-2.0

// Search statistics over all stores of a request.

import Predicates

extension ObjectSource {
    /// The request with statistics, if it is ordered by relevance.
    func ranked(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchRequest {
        guard request.isByRelevance, let search = request.search, search.statistics == nil else { return request }
        var ranked = request
        ranked.search?.statistics = try stores.statistics(of: search, request)
        return ranked
    }

    /// The same for an unresolved request. Its search is resolved by the model.
    func ranked(
        _ request: FetchRequest<ManagedObject>,
        in model: ManagedObjectModel
    ) throws(GraphError) -> FetchRequest<ManagedObject> {
        guard request.isByRelevance else { return request }
        var objects = request
        objects.propertiesToGroupBy = []
        objects.groupingExpressions = []
        objects.havingPredicate = nil
        var ranked = request
        ranked.search = try self.ranked(objects.storeRequest(in: model)).search
        return ranked
    }
}

extension StoreSource {
    fileprivate func statistics(
        of search: Search,
        _ request: StoreFetchRequest
    ) throws(GraphError) -> SearchStatistics {
        let root = coordinator.model.root(of: request.entity)
        let all = StoreFetchRequest(entity: root, affectedStores: request.affectedStores, search: search)
        let token = try pinned()
        var statistics = SearchStatistics(search.query)
        for store in try coordinator.stores(for: all) where isVisible(store, in: token) {
            statistics.add(
                try GraphError.wrapping { try store.searchStatistics(all, at: token?.generation(of: store)) }
            )
        }
        return statistics
    }
}

extension PersistentStore {
    /// The default: reads all objects.
    public func searchStatistics(
        _ request: StoreFetchRequest,
        at generation: (any StoreGeneration)?
    ) throws -> SearchStatistics {
        guard let search = request.search else { return SearchStatistics(matches: []) }
        var all = request
        all.search = nil
        all.kind = .snapshots
        var statistics = SearchStatistics(search.query)
        guard case .snapshots(let rows) = try fetch(all, at: generation) else { return statistics }
        var meter = WorkMeter()
        for row in rows {
            try meter.step()
            statistics.add(try search.tally(of: BareRow(snapshot: row)), for: search.query)
        }
        return statistics
    }
}

/// A row without relationships.
private struct BareRow: SnapshotObject {
    let snapshot: Snapshot

    func object(for snapshot: Snapshot) -> BareRow { BareRow(snapshot: snapshot) }
    func destination(of _: RelationshipDescription, id _: ManagedObjectID) -> Snapshot? { nil }
    func destinations(of _: RelationshipDescription) -> [Snapshot] { [] }
}
