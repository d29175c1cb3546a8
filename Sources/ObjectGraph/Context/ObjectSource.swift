// SPDX-License-Identifier: Apache-2.0

// What a context needs of what is beneath it: a coordinator's stores, or a parent context.

import Predicates

/// Where rows are that lead to one another.
protocol RowSupply: AnyObject {
    /// The rows of some objects, in the same order; nil for those that aren't there.
    ///
    /// - Parameter staleness: How old rows in a cache may be; nil where age doesn't count.
    func snapshots(of objects: [ManagedObjectID], staleness: Duration?) throws(GraphError) -> [Snapshot?]

    /// For each owner the members of its to-many relationship, in their order.
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]]
}

/// Where a context's objects come from, and where its saves go.
protocol ObjectSource: RowSupply {
    /// The class of an entity's objects.
    func objectClass(for entity: EntityDescription) -> ManagedObject.Type

    /// The ID that a URI names; nil where it names no object of the stores.
    func objectID(forURI uri: String) -> ManagedObjectID?

    /// Whether an object is there that was never saved into a store.
    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool

    /// Whether an object is still shown that others have deleted, since it was edited there.
    func keepsDeleted(_ objectID: ManagedObjectID) -> Bool

    /// Whether the deletion of an object waits to be saved, so that the object can come back as itself.
    func isAboutToDelete(_ objectID: ManagedObjectID) -> Bool

    /// For each owner the members of its to-many relationship that a request asks for, or all, with their rows.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult

    /// Whether several stores are asked, whose answers come one after the other.
    func isSpread(_ request: StoreFetchRequest) -> Bool

    /// What others have saved since it was asked for last.
    func takeSavedChanges() -> [SavedChanges]

    /// Gives back what was taken and could not be merged.
    func putBack(_ changes: [SavedChanges])

    /// The way to the stores at the bottom of it.
    var stores: StoreSource { get }

    /// What a context is to merge after a batch of its own, once those beneath it have.
    func takeBatch(_ changes: SavedChanges) throws(GraphError) -> [SavedChanges]

    /// The IDs that new objects will have when they are saved.
    func permanentIDs(for changes: [ObjectChange]) throws(GraphError) -> [ManagedObjectID: ManagedObjectID]

    /// Writes changes, all or none, and a note with them.
    func save(
        _ changes: [ObjectChange],
        of origin: SaveOrigin,
        noting note: PendingNote<SavedRows>?
    ) throws(GraphError) -> SaveOutcome

    /// What a save would come to, of which nothing is written; new objects keep their temporary IDs.
    func rehearse(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome

    var queryGenerationToken: QueryGenerationToken? { get }

    func setQueryGeneration(_ generation: QueryGeneration) throws(GraphError)

    /// Moves on from the state that is read to the latest one, if only one is read at all.
    func advanceQueryGeneration()
}

extension ObjectSource {
    var coordinator: PersistentStoreCoordinator { stores.coordinator }
}

/// Who saves.
public struct SaveOrigin: Hashable, Sendable {
    /// The name of the context.
    public var contextName: String?
    public var author: String?

    public init(contextName: String? = nil, author: String? = nil) {
        self.contextName = contextName
        self.author = author
    }
}

/// What came of a save.
enum SaveOutcome {
    /// The rows as they stand now, those in which only derived values are new, and the IDs that the new objects got.
    case saved([Snapshot], recomputed: [Snapshot], [ManagedObjectID: ManagedObjectID])
    case conflicts(StoreConflicts)
}
