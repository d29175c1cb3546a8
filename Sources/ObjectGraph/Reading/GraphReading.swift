// SPDX-License-Identifier: Apache-2.0

// Reading rows without objects, from stores or from a context with its pending changes.

public import Predicates

/// A reader of an object graph as rows.
///
///     func titles(_ reader: some GraphReading) throws -> [Value] {
///         try reader.table(request).rows.map { $0[0] }
///     }
///     try coordinator.read { reader in try titles(reader) }    // the stored rows
///     try coordinator.withContext { context in try titles(context) }
public protocol GraphReading {
    var model: ManagedObjectModel { get }

    /// The rows of a request, in order.
    func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot]

    /// The rows of a request, in order, if the reader has a cheaper form than snapshots for rows that are only shown;
    /// otherwise nil. Optional: the default is nil.
    func rowPage(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> RowPage?

    /// The IDs of a request's objects.
    func objectIDs(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ManagedObjectID]

    /// The number of objects of a request, within its offset and limit.
    func count(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> Int

    /// The columns and rows of a request for dictionaries.
    func table(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchTable

    /// The rows of some objects, in the same order; nil for missing ones.
    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?]

    /// The members of each owner's to-many relationship with their rows: all in the order of the relationship, or those
    /// of a request. SQL stores use one statement, whatever the number of owners.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows

    /// The objects of a relationship of each row of a page, all or those of a request, if the reader has a cheaper form
    /// than snapshots for rows that are only shown; otherwise nil. A to-one relationship has no request. Optional: the
    /// default is nil.
    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage?

    /// A request ordered by relevance with the present search statistics, so that several reads agree on the order; any
    /// other request unchanged.
    func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject>

    /// The values that determine a row's place in the order of a request, ending with its ID.
    func sortKeys(
        of snapshot: Snapshot,
        for request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> [Value]
}

extension GraphReading {
    public func rowPage(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> RowPage? { nil }

    public func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage? {
        nil
    }
}

/// Selects members of a to-many relationship, for each owner.
///
///     let latest = RelatedRequest(sortDescriptors: [ObjectSortDescriptor("createdAt", ascending: false)], limit: 5)
///     try reader.related(along: posts, owners: users, matching: latest)   // the five latest posts of each user
public struct RelatedRequest: Hashable, Sendable {
    /// The condition for members; it is evaluated on these, not on their owner.
    public var predicate: ObjectPredicate?
    /// The order of members; equal ones stay in the order of the relationship.
    public var sortDescriptors: [ObjectSortDescriptor]
    /// The largest number of members of each owner; nil for all.
    public var limit: Int?
    /// Selects only members after this place in the order of the relationship; it can't be combined with sort
    /// descriptors.
    public var start: MemberPosition?
    /// Whether the result includes the places of the members, for use as a `start`.
    public var includesPositions = false
    /// The largest number of members of all owners that the caller can use; nil for any number. Beyond it the store may
    /// omit members.
    public var totalLimit: Int?

    public init(
        predicate: ObjectPredicate? = nil,
        sortDescriptors: [ObjectSortDescriptor] = [],
        limit: Int? = nil,
        totalLimit: Int? = nil
    ) {
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.totalLimit = totalLimit
    }

    /// Whether it selects all members, in the order of the relationship.
    var isForAll: Bool {
        predicate == nil && sortDescriptors.isEmpty && limit == nil && start == nil && !includesPositions
    }
}

/// The place of a member in a relationship. Stores that number members, with gaps, find it even after the member was
/// moved; others use the place after the member, or its former position if it is gone.
public struct MemberPosition: Hashable, Sendable {
    /// Nil if members are ordered by their IDs.
    public var number: Int64?
    public var member: ManagedObjectID

    public init(number: Int64?, member: ManagedObjectID) {
        self.number = number
        self.member = member
    }
}
