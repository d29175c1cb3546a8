// SPDX-License-Identifier: Apache-2.0

// Many objects to be deleted, straight from the stores.

public import FoundationEssentials

/// Deletes objects, and what the delete rules take along, without objects being made of their rows. No hooks run; where a
/// rule denies a deletion, or a required relationship would be left empty, nothing is deleted.
///
///     try coordinator.execute(BatchDeleteRequest(FetchRequest("Post", predicate: try ObjectPredicate("views == 0"))))
public struct BatchDeleteRequest: Sendable {
    enum Target: Sendable {
        case fetch(FetchRequest<ManagedObject>)
        case objectIDs([ManagedObjectID])
    }

    let target: Target
    public var resultType = BatchResultType.status
    /// The batch is refused if it would delete more objects than that, those that the delete rules take along counted.
    public var maximum: Int?
    /// Whether it is only found out what the batch would come to: it is done, and taken back. No context is told.
    public var isRehearsal = false
    /// The identifiers of the stores that count; nil for all that keep the entity.
    public var affectedStores: Set<UUID>?

    /// The objects that a request finds in the stores, by its predicate, order, limit and offset.
    public init<Object>(_ request: FetchRequest<Object>) {
        var found = FetchRequest<ManagedObject>(request.entityName, predicate: request.predicate)
        found.includesSubentities = request.includesSubentities
        found.sortDescriptors = request.sortDescriptors
        found.fetchLimit = request.fetchLimit
        found.fetchOffset = request.fetchOffset
        target = .fetch(found)
    }

    /// Objects of one hierarchy of entities. Those that aren't there any more are nothing to delete.
    public init(objectIDs: [ManagedObjectID]) {
        target = .objectIDs(objectIDs)
    }
}
