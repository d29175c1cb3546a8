// SPDX-License-Identifier: Apache-2.0

// Deleting many objects directly in the stores.

public import FoundationEssentials

/// Deletes objects, and others by delete rules, without creating objects. No hooks run. If a rule denies a deletion, or
/// a required relationship would become empty, nothing is deleted.
///
///     try coordinator.execute(BatchDeleteRequest(FetchRequest("Post", predicate: try ObjectPredicate("views == 0"))))
public struct BatchDeleteRequest: Sendable {
    enum Target: Sendable {
        case fetch(FetchRequest<ManagedObject>)
        case objectIDs([ManagedObjectID])
    }

    let target: Target
    public var resultType = BatchResultType.status
    /// The largest number of objects to delete, including those by delete rules; a larger batch is refused.
    public var maximum: Int?
    /// Whether the batch is only evaluated: it is executed and rolled back, and no context is notified.
    public var isRehearsal = false
    /// The identifiers of the stores to use; nil for all that keep the entity.
    public var affectedStores: Set<UUID>?

    /// The stored objects of a request, by its predicate, order, limit and offset.
    public init<Object>(_ request: FetchRequest<Object>) {
        var found = FetchRequest<ManagedObject>(request.entityName, predicate: request.predicate)
        found.includesSubentities = request.includesSubentities
        found.sortDescriptors = request.sortDescriptors
        found.fetchLimit = request.fetchLimit
        found.fetchOffset = request.fetchOffset
        target = .fetch(found)
    }

    /// Objects of one hierarchy of entities. Missing ones are ignored.
    public init(objectIDs: [ManagedObjectID]) {
        target = .objectIDs(objectIDs)
    }
}
