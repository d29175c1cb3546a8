// SPDX-License-Identifier: Apache-2.0

// What is to be fetched, as a value.

public import Predicates

/// A question to the stores: which objects of an entity, in which order, how many.
///
///     var request = FetchRequest<Post>()
///     request.predicate = try ObjectPredicate("views > %d", 100)
///     request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
///     let posts = try context.fetch(request)
public struct FetchRequest<Object: ManagedObject>: Sendable {
    public var entityName: String
    public var predicate: ObjectPredicate?
    public var sortDescriptors: [ObjectSortDescriptor] = []
    /// Zero for no limit.
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var includesSubentities = true
    /// Whether what was changed in the context and isn't saved counts.
    public var includesPendingChanges = true
    /// Whether objects come as faults, whose values are at hand when they are asked for.
    public var returnsObjectsAsFaults = true
    /// Key paths of relationships whose objects are read along, by one call for each.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Whether values that objects have already are read anew, where they weren't changed.
    public var shouldRefreshRefetchedObjects = false

    public init(_ entityName: String, predicate: ObjectPredicate? = nil) {
        self.entityName = entityName
        self.predicate = predicate
    }
}

extension FetchRequest {
    /// A request for the objects of a class.
    public init(_ type: Object.Type = Object.self, predicate: ObjectPredicate? = nil) {
        self.init(type.entityName, predicate: predicate)
    }
}
