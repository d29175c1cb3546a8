// SPDX-License-Identifier: Apache-2.0

// What a coordinator has in memory.

extension PersistentStoreCoordinator {
    /// The row of an object as last saved, if it is in memory and available without waiting; otherwise nil. It never
    /// reads.
    public func cachedSnapshot(of objectID: ManagedObjectID) -> Snapshot? {
        guard let identifier = objectID.storeIdentifier, let store = store(identifier) else { return nil }
        let snapshot = store.keepsRowsInMemory ? store.snapshotInMemory(of: objectID) : rowCache.row(of: objectID)
        // An ID may name another entity than the object's.
        return snapshot.flatMap { $0.objectID.entity.isKind(of: objectID.entity) ? $0 : nil }
    }

    /// The ID for a reference in the first store that keeps an entity, or nil if no store does. The object need not
    /// exist.
    public func objectID(entity: EntityDescription, reference: ManagedObjectID.Reference) -> ManagedObjectID? {
        firstStore(of: entity).map { ManagedObjectID(entity: entity, store: $0, reference: reference) }
    }
}
