// SPDX-License-Identifier: Apache-2.0

// The source of a context: a coordinator's stores, or a parent context.

import Predicates

/// A source of rows and their relationships.
protocol RowProvider: AnyObject {
    /// The rows of some objects, in the same order; nil for missing ones.
    ///
    /// - Parameter staleness: How old cached rows may be; nil for any age.
    func snapshots(of objects: [ManagedObjectID], staleness: Duration?) throws(GraphError) -> [Snapshot?]

    /// The members of each owner's to-many relationship, in order.
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]]
}

/// The source of a context's objects and the target of its saves.
protocol ObjectSource: RowProvider {
    /// The class of an entity's objects.
    func objectClass(for entity: EntityDescription) -> ManagedObject.Type

    /// The ID that a URI names, or nil if it isn't of the stores.
    func objectID(forURI uri: String) -> ManagedObjectID?

    /// Whether an object exists that was never saved into a store.
    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool

    /// Whether an object is still present for its edits although others have deleted it.
    func keepsDeleted(_ objectID: ManagedObjectID) -> Bool

    /// Whether the deletion of an object is pending, so that it can be restored as itself.
    func isAboutToDelete(_ objectID: ManagedObjectID) -> Bool

    /// The members of each owner's to-many relationship that match a request, or all, with their rows.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult

    /// The rows of a fetch that only shows them; nil if they aren't all in one store that has a cheaper form for them.
    func rowPage(_ request: StoreFetchRequest) throws(GraphError) -> RowPage?

    /// The objects of a relationship of rows of a page; nil if the store has no cheaper form than `related`.
    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage?

    /// Whether the request is sent to several stores, whose results are concatenated.
    func spansStores(_ request: StoreFetchRequest) -> Bool

    /// Drains what others have saved since the last call.
    func drainSavedChanges() -> [SavedChanges]

    /// Returns drained changes that couldn't be merged.
    func requeue(_ changes: [SavedChanges])

    /// The stores at the bottom.
    var stores: StoreSource { get }

    /// What a context has to merge after its own batch, once its ancestors have merged it.
    func drainChangesAfterBatch(_ changes: SavedChanges) throws(GraphError) -> [SavedChanges]

    /// The IDs that new objects will have when they are saved.
    func permanentIDs(for changes: [ObjectChange]) throws(GraphError) -> [ManagedObjectID: ManagedObjectID]

    /// Writes all changes or none, and a note with them.
    func save(
        _ changes: [ObjectChange],
        of origin: SaveOrigin,
        noting note: PendingNote<SavedRows>?
    ) throws(GraphError) -> SaveOutcome

    /// The result that a save would have, without writing; new objects keep their temporary IDs.
    func rehearse(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome

    var queryGenerationToken: QueryGenerationToken? { get }

    func setQueryGeneration(_ generation: QueryGeneration) throws(GraphError)

    /// Moves on to the latest generation, if the reads are pinned to one.
    func advanceQueryGeneration()
}

extension ObjectSource {
    var coordinator: PersistentStoreCoordinator { stores.coordinator }

    func rowPage(_ request: StoreFetchRequest) throws(GraphError) -> RowPage? { nil }

    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage? {
        nil
    }
}

/// The context and author of a save.
public struct SaveOrigin: Hashable, Sendable {
    public var contextName: String?
    public var author: String?

    public init(contextName: String? = nil, author: String? = nil) {
        self.contextName = contextName
        self.author = author
    }
}

/// The result of a save.
enum SaveOutcome {
    /// The rows as saved, the rows with only recomputed derived values, and the IDs of the new objects.
    case saved([Snapshot], recomputed: [Snapshot], [ManagedObjectID: ManagedObjectID])
    case conflicts(StoreConflicts)
}
