// SPDX-License-Identifier: Apache-2.0

// What the engine asks of a store. The engine's own stores have no other way in.

public import FoundationEssentials
public import Predicates

/// Something that keeps objects: a file, a database, a service.
///
/// Its calls may come from several threads at once. Each sees one state of the store as a whole: that of the generation it
/// names, or the latest.
public protocol PersistentStore: AnyObject, Sendable {
    /// Stays the same for the life of the store; it is part of the IDs of its objects.
    var identifier: UUID { get }
    /// What the store says of itself, kept with it; its type and identifier are always part of it.
    var metadata: StoreMetadata { get }
    var isReadOnly: Bool { get }
    /// Whether reading a row is as cheap as looking it up in memory, so that nobody need keep it besides.
    var keepsRowsInMemory: Bool { get }

    /// Changes what is kept with the store, at the latest with the next save.
    func setMetadata(_ metadata: StoreMetadata) throws

    /// What the store calls the row that a URI names by a text; nil where it can't call one so. The text may come from anybody.
    func reference(from text: String) -> ManagedObjectID.Reference?

    /// The state that the store is in now, kept readable for as long as the generation is held.
    func currentGeneration() throws -> any StoreGeneration

    /// What a request finds. In a predicate `entity` is the name of an object's entity, as if it were an attribute.
    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult

    /// What the relevance of a request's search is measured by: numbers over all objects of the request's entity, which is the topmost
    /// of its hierarchy. A store that has no better way needn't have one: all objects are looked at.
    func searchStatistics(
        _ request: StoreFetchRequest,
        at generation: (any StoreGeneration)?
    ) throws -> SearchStatistics

    /// The rows of some objects, in the same order; nil for those that aren't there. An ID may name an entity above the
    /// object's; that of its row names the object's own.
    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?]

    /// For each owner the members of its to-many relationship, in their order; none for an owner that isn't there. Those deleted
    /// are no members.
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]]

    /// The members with their rows, in one call. A store that has no better way needn't implement it: all members are read, and the
    /// request is evaluated in memory.
    ///
    /// - Parameter request: Which members of each owner; nil for all.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows

    /// The row of an object as it is now, for a store that keeps rows in memory; nil where there is none, and where it would have
    /// to be waited for.
    func snapshotInMemory(of objectID: ManagedObjectID) -> Snapshot?

    /// New IDs for as many objects, in the same order. They are used for nothing else, even if never saved. A reference names one
    /// row at most among all entities of a hierarchy.
    ///
    /// - Parameter references: The references that objects are to keep, by their places. The store keeps those that it never gave to
    ///   an object, and gives them to no other from then on, unless that is to keep one that no save has used:
    ///   `Insertion.keepsReference` tells of those that are used. A store that can't tell needn't keep any.
    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID]

    /// Writes all of a save, with what belongs to its commit, or nothing. Rows whose versions aren't those that the save is based on are
    /// conflicts, as are values that must be unique and aren't. An empty save writes what else is kept with the store.
    ///
    /// Where the key of the commit's note has one that isn't too old, the store throws `GraphError.noteTaken(_:)`.
    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult

    /// What a save would answer, of which nothing is kept. New rows have IDs that no store gives. A store that has no better way
    /// needn't have one: rows are then as they were to be written, if they are of the versions that the save is based on.
    func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult

    /// Whether the store takes saves and batches of several callers at once, and calls their `Commit.notify(of:)` in the order of
    /// its commits. Others get one at a time.
    var savesTogether: Bool { get }

    /// Whether another program held the store when something was to be written last. It is asked at any time, and must not wait.
    var isLockedByOthers: Bool { get }

    /// Whether the store keeps notes with saves and batches. One that doesn't is asked neither to keep one nor for one.
    var keepsNotes: Bool { get }

    /// The note of a key, as it was kept last, if the store still has it.
    func note(_ key: String) throws -> StoreNote?

    /// Whether the store writes the rows of a batch insert as they come. Others are given them all at once.
    var streamsBatchInserts: Bool { get }

    /// Does a batch, with what belongs to its commit, or nothing. A store that has no faster way needn't implement it: the batch is done
    /// by its other calls.
    func execute(_ batch: StoreBatchRequest, commit: Commit<StoreBatchResult>) throws -> StoreBatchResult

    /// Has a closure called whenever others have written to the store in a way that doesn't come by here, as another program may
    /// to a file. A store that can't notice needn't.
    ///
    /// - Parameter owner: who wants to know, as long as it is there; a store keeps one closure of each and holds none of them.
    func noticeOthers(for owner: any AnyObject & Sendable, _ tell: @escaping @Sendable () -> Void)

    /// Throws where nothing can be saved: what the store is kept in isn't what was opened any more, as when its file was deleted, or a
    /// save into several stores can't be judged. A store that can't notice needn't.
    func checkPlace() throws

    /// The bytes of a binary attribute, to be read piece by piece; nil where the object isn't there or has no value. A store that
    /// has no better way needn't have one: its rows have the bytes.
    func openValue(
        of attribute: AttributeDescription,
        object: ManagedObjectID,
        at generation: (any StoreGeneration)?
    ) throws -> (any ValueReader)?

    /// How many statements it has run, for a store that works by statements.
    var statementCount: Int { get }

    /// How it would read, without reading. A store that has nothing to tell needn't implement it: objects are looked at in memory.
    func explain(_ read: StoreRead) throws -> FetchExplanation

    /// Takes in a value for a binary attribute piece by piece, to be saved later. A store that has no better way needn't have
    /// one: the value is collected in memory.
    func stageValue(for attribute: AttributeDescription) throws -> any ValueWriter
}

/// The members of a to-many relationship of several owners, and their rows.
public struct RelatedRows: Sendable {
    /// For each owner its members, in their order.
    public var members: [[ManagedObjectID]]
    /// The rows of all members, each once; those that are gone are left out.
    public var rows: [Snapshot]
    /// The numbers of the members' places, where a request wants them.
    public var places: [[Int64?]]

    public init(members: [[ManagedObjectID]], rows: [Snapshot], places: [[Int64?]] = []) {
        (self.members, self.rows, self.places) = (members, rows, places)
    }
}

extension PersistentStore {
    public var keepsRowsInMemory: Bool { false }

    public var savesTogether: Bool { false }

    public var isLockedByOthers: Bool { false }

    public func checkPlace() throws {}

    public func noticeOthers(for _: any AnyObject & Sendable, _: @escaping @Sendable () -> Void) {}

    public var statementCount: Int { 0 }

    public var keepsNotes: Bool { false }

    public func note(_ key: String) throws -> StoreNote? { nil }

    public func explain(_ read: StoreRead) throws -> FetchExplanation {
        FetchExplanation(evaluating: read, in: identifier)
    }

    public func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        let changed = request.updates.map(\.objectID) + (request.deletions + request.locks).map(\.objectID)
        let objects = changed + request.references.map(\.destination)
        let rows = try snapshots(of: objects, at: nil)
        let stored = Dictionary(zip(objects, rows)) { first, _ in first }
        let conflicts = try request.conflicts(
            version: { stored[$0]??.version },
            holder: { _ in nil },
            members: { relationship, owners in try members(of: relationship, owners: owners, at: nil) },
            stored: { objectID in try stored[objectID] ?? snapshots(of: [objectID], at: nil)[0] }
        )
        if let conflicts { return .conflicts(conflicts) }
        return .saved(
            request.insertions.map { Snapshot(objectID: $0.objectID, version: $0.version, row: $0.row) }
                + request.updates.map { Snapshot(objectID: $0.objectID, version: $0.version + 1, row: $0.row) }
        )
    }

}

/// Something that a store can explain how it would read it.
public enum StoreRead: Sendable {
    case fetch(StoreFetchRequest)
    /// The members of an owner's to-many relationship that a request asks for.
    case related(along: RelationshipDescription, owner: ManagedObjectID, matching: RelatedRequest)
}

/// A state of a store that can still be read.
public protocol StoreGeneration: Sendable {}

/// What is kept with a store beside its objects.
public struct StoreMetadata: Hashable, Sendable {
    public var values: [String: Value]

    /// The key of the store's type, such as `XML`, under the name that Core Data gives it.
    public static let typeKey = "NSStoreType"
    /// The key of the store's identifier.
    public static let identifierKey = "NSStoreUUID"

    public init(values: [String: Value] = [:]) {
        self.values = values
    }
}
