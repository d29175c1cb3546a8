// SPDX-License-Identifier: Apache-2.0

// Choosing the stores for a fetch.

import FoundationEssentials

extension PersistentStoreCoordinator {
    /// The stores that keep a request's entities, restricted to its affected stores; throws if no store keeps them.
    func stores(for request: StoreFetchRequest) throws(GraphError) -> [any PersistentStore] {
        let keeping = stores(of: request.kinds)
        guard !keeping.isEmpty else { throw .noStore(for: request.entity) }
        guard let affected = request.affectedStores else { return keeping }
        if let unknown = affected.subtracting(stores.map(\.identifier)).first { throw .notAttached(unknown) }
        return keeping.filter { affected.contains($0.identifier) }
    }
}

extension StoreFetchRequest {
    /// The indices of the requested entities.
    fileprivate var kinds: Range<Int> { includesSubentities ? entity.kinds : entity.index..<entity.index + 1 }
}

extension GraphError {
    static func notAttached(_ identifier: UUID) -> GraphError {
        GraphError(
            .unknownStore,
            "The coordinator has no store \(identifier.uuidString).",
            property: "affectedStores",
            hint: "The identifiers of its stores are in coordinator.stores."
        )
    }
}
