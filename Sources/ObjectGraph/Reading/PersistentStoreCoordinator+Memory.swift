// SPDX-License-Identifier: Apache-2.0

// What a coordinator knows without asking a store.

extension PersistentStoreCoordinator {
    /// The row of an object as it was saved last, if it is in memory; nil where it isn't, or where looking would have to wait for a
    /// store. It never reads.
    public func cachedSnapshot(of objectID: ManagedObjectID) -> Snapshot? {
        guard let identifier = objectID.storeIdentifier, let store = store(identifier) else { return nil }
        let snapshot = store.keepsRowsInMemory ? store.snapshotInMemory(of: objectID) : rowCache.row(of: objectID)
        // An ID may name an entity that the object isn't of.
        return snapshot.flatMap { $0.objectID.entity.isKind(of: objectID.entity) ? $0 : nil }
    }

    /// The ID of what the first store that keeps an entity calls by a reference; nil where no store keeps the entity. Whether there
    /// is such an object isn't looked at.
    public func objectID(entity: EntityDescription, reference: ManagedObjectID.Reference) -> ManagedObjectID? {
        firstStore(of: entity).map { ManagedObjectID(entity: entity, store: $0, reference: reference) }
    }
}
