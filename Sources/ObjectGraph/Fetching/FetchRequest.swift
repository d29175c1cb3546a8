// SPDX-License-Identifier: Apache-2.0

// What is to be fetched, as a value.

public import FoundationEssentials
public import ObjectModel
public import Predicates

/// A question to the stores: which objects of an entity, in which order, how many.
///
///     var request = FetchRequest<Post>()
///     request.predicate = try ObjectPredicate("views > %d", 100)
///     request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
///     let posts = try context.fetch(request)
///
/// What is asked for is said by the call: `fetch`, `fetchLazily`, `objectIDs`, `count`, `dictionaries` or `table`.
public struct FetchRequest<Object: ManagedObject>: Sendable {
    /// Looked up in the model when the request is executed.
    public var entityName: String
    public var predicate: ObjectPredicate?
    /// What is to be found in texts; without sort descriptors the best match comes first.
    public var search: Search?
    public var sortDescriptors: [ObjectSortDescriptor] = []
    /// Zero for no limit.
    public var fetchLimit = 0
    public var fetchOffset = 0
    /// How many objects of a lazy or asynchronous fetch are read at a time; zero for all at once.
    public var fetchBatchSize = 0
    /// What `execute` answers with; calls that say it by their name don't look at it.
    public var resultType = FetchRequestTemplate.ResultType.objects
    public var includesSubentities = true
    /// Whether what was changed in the context and isn't saved counts. Dictionaries always show what is saved.
    public var includesPendingChanges = true
    /// Whether the store is asked for values along with the objects. Without, objects are bare faults; a sort in memory, for
    /// pending changes or several stores, asks for them all the same.
    public var includesPropertyValues = true
    /// Whether objects come as faults, whose values are at hand when they are asked for.
    public var returnsObjectsAsFaults = true
    /// Key paths of relationships whose objects are read along, step by step: by one call for each step to one object, or to
    /// many that lead back to one, else by two.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// Whether values that objects have already are read anew, where they weren't changed.
    public var shouldRefreshRefetchedObjects = false
    /// The identifiers of the stores that are asked; nil for all. Pending objects that are of no store yet count in any case.
    public var affectedStores: Set<UUID>?

    // MARK: Dictionaries

    /// The columns of dictionaries; if none are given the grouped key paths, else all attributes. Objects come with all their
    /// values whatever it says.
    public var propertiesToFetch: [ExpressionDescription] = []
    /// Key paths, each to one value, by which rows are grouped. Columns are aggregates then, or made of these.
    public var propertiesToGroupBy: [String] = []
    /// What groups must satisfy. It may speak of grouped key paths, of aggregates over the group, and of columns by their names;
    /// a name that is grouped by means that, whatever columns are called. The order of groups may, too.
    ///
    /// This goes beyond Core Data, which refuses all but grouped key paths.
    public var havingPredicate: ObjectPredicate?
    /// Whether dictionaries that are equal come once.
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
