// SPDX-License-Identifier: Apache-2.0

// Reading rows where no objects are wanted, of the stores or of a context with all that is pending in it.

public import Predicates

/// Somebody who reads an object graph as rows.
///
///     func titles(_ reader: some GraphReading) throws -> [Value] {
///         try reader.table(request).rows.map { $0[0] }
///     }
///     try coordinator.read { reader in try titles(reader) }    // what the stores have
///     try coordinator.withContext { context in try titles(context) }
public protocol GraphReading {
    var model: ManagedObjectModel { get }

    /// The rows that a request asks for, in its order.
    func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot]

    /// The IDs of the objects that a request asks for.
    func objectIDs(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ManagedObjectID]

    /// How many objects a request asks for, by its limit and offset, too.
    func count(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> Int

    /// The columns and rows that a request for dictionaries asks for.
    func table(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchTable

    /// The rows of some objects, in the same order; nil for those that aren't there.
    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?]

    /// For each owner the members of its to-many relationship, and their rows: all in the order of the relationship, or those that
    /// a request asks for. SQL stores are asked with one statement, whatever the number of owners.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows

    /// The request with what relevance is measured by now, where its order is by relevance: for requests that are to agree on it.
    func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject>

    /// The values by which a row has its place among those of a request, the last one its ID.
    func sortKeys(
        of snapshot: Snapshot,
        for request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [Value]
}

/// Which members of a to-many relationship are asked for, of each owner.
///
///     let latest = RelatedRequest(sortDescriptors: [ObjectSortDescriptor("createdAt", ascending: false)], limit: 5)
///     try reader.related(along: posts, owners: users, matching: latest)   // the five latest posts of each user
public struct RelatedRequest: Hashable, Sendable {
    /// What members must satisfy; it speaks of these, not of their owner.
    public var predicate: ObjectPredicate?
    /// What members are put in order by; those that don't differ stay in the order of the relationship.
    public var sortDescriptors: [ObjectSortDescriptor]
    /// The most members of each owner; nil for all.
    public var limit: Int?
    /// Only members behind this place are asked for, in the order of the relationship: it goes without sort descriptors.
    public var start: MemberPlace?
    /// Whether the answer is to have the places of the members, at one of which another may start.
    public var tellsPlaces = false
    /// How many members of all owners together are wanted at most; nil for any number. What there is beyond may be left out and need
    /// not be, for those who want none where there are too many.
    public var totalLimit: Int?

    public init(
        predicate: ObjectPredicate? = nil,
        sortDescriptors: [ObjectSortDescriptor] = [],
        limit: Int? = nil,
        totalLimit: Int? = nil
    ) {
        (self.predicate, self.sortDescriptors, self.limit) = (predicate, sortDescriptors, limit)
        self.totalLimit = totalLimit
    }

    /// Whether all members are asked for, in the order of the relationship.
    var isForAll: Bool {
        predicate == nil && sortDescriptors.isEmpty && limit == nil && start == nil && !tellsPlaces
    }
}

/// Where a member stands among the others of a relationship. Stores that number members, with gaps, know it even when the member was
/// moved away; for others it is behind the member, wherever that is, and where it was once it is gone.
public struct MemberPlace: Hashable, Sendable {
    /// Nil where members have no order but that of their IDs.
    public var number: Int64?
    public var member: ManagedObjectID

    public init(number: Int64?, member: ManagedObjectID) { (self.number, self.member) = (number, member) }
}
