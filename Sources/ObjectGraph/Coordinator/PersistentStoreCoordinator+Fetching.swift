// SPDX-License-Identifier: Apache-2.0

// Which stores a fetch is for.

import FoundationEssentials

extension PersistentStoreCoordinator {
    /// The stores that keep what a request asks for, as far as it wants them asked; an error where there can be no such store.
    func stores(for request: StoreFetchRequest) throws(GraphError) -> [any PersistentStore] {
        let keeping = stores(of: request.kinds)
        guard !keeping.isEmpty else { throw .noStore(for: request.entity) }
        guard let affected = request.affectedStores else { return keeping }
        if let unknown = affected.subtracting(stores.map(\.identifier)).first { throw .notAttached(unknown) }
        return keeping.filter { affected.contains($0.identifier) }
    }
}

extension StoreFetchRequest {
    /// The places of the entities whose objects are asked for.
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
