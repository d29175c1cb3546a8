// SPDX-License-Identifier: Apache-2.0

// A fetch request as a value.

public import FoundationEssentials
public import ObjectModel
public import Predicates

/// A request for objects of an entity: which ones, in which order, how many.
///
///     var request = FetchRequest<Post>()
///     request.predicate = try ObjectPredicate("views > %d", 100)
///     request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
///     let posts = try context.fetch(request)
///
/// The call determines the kind of result: `fetch`, `fetchLazily`, `objectIDs`, `count`, `dictionaries` or `table`.
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// Looked up in the model when the request is executed.
    public var entityName: String
    public var predicate: ObjectPredicate?
    /// A full-text search; without sort descriptors the best match comes first.
    public var search: Search?
    public var sortDescriptors: [ObjectSortDescriptor] = []
    /// Zero for no limit.
    public var fetchLimit = 0
    public var fetchOffset = 0
    /// The number of objects that a lazy or asynchronous fetch reads at a time; zero for all at once.
    public var fetchBatchSize = 0
    /// The kind of result of `execute`; other calls ignore it.
    public var resultType = FetchRequestTemplate.ResultType.objects
    public var includesSubentities = true
    /// Whether the context's unsaved changes are considered.
    public var includesPendingChanges = true
    /// Whether values are read along with the objects. If not, objects are plain faults; sorting in memory, for pending
    /// changes or several stores, reads them nevertheless.
    public var includesPropertyValues = true
    /// Whether objects are returned as faults, whose values are read already.
    public var returnsObjectsAsFaults = true
    /// Key paths of relationships to prefetch. Each step costs one call if it is to-one or its inverse is, else two.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Whether unchanged objects get new values from the store.
    public var shouldRefreshRefetchedObjects = false
    /// The identifiers of the stores to ask; nil for all. Pending objects without a store are always considered.
    public var affectedStores: Set<UUID>?

    // MARK: Dictionaries

    /// The columns of dictionaries; if empty, the grouped key paths, or else all attributes. It doesn't affect objects.
    public var propertiesToFetch: [ExpressionDescription] = []
    /// To-one key paths to group rows by. Columns are then aggregates, or based on these.
    public var propertiesToGroupBy: [String] = []
    /// The expressions to group rows by if they aren't just the key paths, as under access rules; otherwise empty.
    package var groupingExpressions: [ObjectExpression] = []
    /// The condition for groups. It may use grouped key paths, aggregates, and column names; a grouped key path has
    /// precedence over a column of the same name. The same applies to the order of groups.
    ///
    /// This goes beyond Core Data, which accepts only grouped key paths.
    public var havingPredicate: ObjectPredicate?
    /// Whether equal dictionaries are returned once.
    public var returnsDistinctResults = false

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
