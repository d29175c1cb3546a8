// SPDX-License-Identifier: Apache-2.0

// The protocol between the engine and its stores. The engine's own stores use no other.

import Basics
public import FoundationEssentials
public import Predicates

/// A storage of objects: a file, a database, a service.
///
/// Calls may be concurrent. Each reads one consistent state of the store: that of the given generation, or the latest.
public protocol PersistentStore: AnyObject, Sendable {
    /// Constant for the life of the store; part of the IDs of its objects.
    var identifier: UUID { get }
    /// Metadata kept with the store, always including its type and identifier.
    var metadata: StoreMetadata { get }
    var isReadOnly: Bool { get }
    /// Whether reading a row is as cheap as a look-up in memory, so that it needn't be cached.
    var keepsRowsInMemory: Bool { get }

    /// Changes the metadata, which is written by the next save at the latest.
    func setMetadata(_ metadata: StoreMetadata) throws

    /// The reference that a URI's text names, or nil if it can't be one of this store. The text is untrusted.
    func reference(from text: String) -> ManagedObjectID.Reference?

    /// The present state of the store, readable for as long as the generation is referenced.
    func currentGeneration() throws -> any StoreGeneration

    /// Executes a fetch. In a predicate, `entity` is the name of an object's entity, as if it were an attribute.
    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult

    /// The rows of a fetch that only shows them; nil if the store has no cheaper form for them than `fetch`. Optional:
    /// the default is nil.
    func page(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> RowPage?

    /// Statistics for the relevance of a request's search, over all objects of its entity, which is a root entity.
    /// Optional: the default reads all objects.
    func searchStatistics(
        _ request: StoreFetchRequest,
        at generation: (any StoreGeneration)?
    ) throws -> SearchStatistics

    /// The rows of some objects, in the same order; nil for missing ones. An ID may name a superentity of the object's
    /// entity; the row's ID names its own.
    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?]

    /// The members of each owner's to-many relationship, in order, without deleted ones; empty for a missing owner.
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]]

    /// The members with their rows, in one call. Optional: the default reads all members and evaluates the request in
    /// memory.
    ///
    /// - Parameter request: Selects members of each owner; nil for all.
    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows

    /// The objects of a relationship of each row of one of the store's pages; nil if the store has no cheaper form for
    /// them than `related` and `snapshots`. Optional: the default is nil.
    ///
    /// - Parameter request: Selects members of each owner; nil for all, and for a to-one relationship.
    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedPage?

    /// The present row of an object, for a store that keeps rows in memory; nil if it doesn't exist or isn't available
    /// without waiting.
    func snapshotInMemory(of objectID: ManagedObjectID) -> Snapshot?

    /// New IDs for some objects, in the same order. They are never assigned again, even if they aren't saved. A
    /// reference names one row at most among all entities of a hierarchy.
    ///
    /// - Parameter references: The references to keep, by position. The store keeps those that it has never assigned,
    ///   and doesn't assign them later, except to keep one that no save has used: `Insertion.keepsReference` marks
    ///   their use. A store that can't tell may keep none.
    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID]

    /// Writes a whole save and its commit, or nothing. Conflicts are rows with other versions than those that the save
    /// is based on, and values that violate uniqueness. An empty save writes the metadata.
    ///
    /// If the key of the commit's note has a note that isn't expired, the store throws `GraphError.noteTaken(_:)`.
    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult

    /// The result that a save would have, without writing. New rows have IDs that no store assigns. Optional: the
    /// default returns the rows to be written if their versions match.
    func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult

    /// Whether the store accepts concurrent saves and batches, and calls their `Commit.notify(of:)` in commit order.
    /// Otherwise it gets one at a time.
    var acceptsConcurrentSaves: Bool { get }

    /// Whether another program held the store's lock at the last write. It may be called at any time, and must not
    /// block.
    var isLockedByOthers: Bool { get }

    /// Whether the store keeps notes with saves and batches. If not, it gets none and isn't asked for any.
    var keepsNotes: Bool { get }

    /// The latest note of a key, or nil if the store doesn't have it any more.
    func note(_ key: String) throws -> StoreNote?

    /// Whether the store writes the rows of a batch insert as they are generated. Otherwise it gets them all at once.
    var streamsBatchInserts: Bool { get }

    /// Executes a batch with its commit, or nothing. Optional: the default uses the store's other calls.
    func execute(_ batch: StoreBatchRequest, commit: Commit<StoreBatchResult>) throws -> StoreBatchResult

    /// Sets a closure to be called whenever others have written to the store directly, such as another program to its
    /// file. A store that can't notice this needn't implement it.
    ///
    /// - Parameter owner: The observer, held weakly; a store keeps one closure for each.
    func observeOtherWriters(
        for owner: any AnyObject & Sendable,
        _ notify: @escaping @Sendable (OtherWrites) -> Void
    )

    /// Whether others have written something that the observers weren't notified of. It is called before each read, so
    /// it must be cheap and not block.
    var hasUnnoticedWrites: Bool { get }

    /// Notifies the observers of what others have written until now, and returns after that.
    func noticeOtherWriters()

    /// Throws if nothing can be saved: the store's file was deleted or replaced, or a save into several stores is
    /// undecided. A store that can't notice this needn't implement it.
    func checkPlace() throws

    /// Opens a binary attribute for reading in pieces; nil if the object is missing or has no value. Optional: the
    /// default reads the row.
    func openValue(
        of attribute: AttributeDescription,
        object: ManagedObjectID,
        at generation: (any StoreGeneration)?
    ) throws -> (any ValueReader)?

    /// The number of statements run, for a store that uses statements.
    var statementCount: Int { get }

    /// Explains how a read would be executed, without executing it. Optional: the default is an evaluation in memory.
    func explain(_ read: StoreRead) throws -> FetchExplanation

    /// Accepts a value for a binary attribute in pieces, to be saved later. Optional: the default collects it in
    /// memory.
    func stageValue(for attribute: AttributeDescription) throws -> any ValueWriter
}

/// The members of a to-many relationship of several owners, and their rows.
public struct RelatedRows: Sendable {
    /// The members of each owner, in order.
    public var members: [[ManagedObjectID]]
    /// The rows of all members, each once, without missing ones.
    public var rows: [Snapshot]
    /// The place numbers of the members, if requested.
    public var places: [[Int64?]]

    public init(members: [[ManagedObjectID]], rows: [Snapshot], places: [[Int64?]] = []) {
        self.members = members
        self.rows = rows
        self.places = places
    }
}

extension PersistentStore {
    public var keepsRowsInMemory: Bool { false }

    public var acceptsConcurrentSaves: Bool { false }

    public var isLockedByOthers: Bool { false }

    public func checkPlace() throws {}

    public func observeOtherWriters(
        for _: any AnyObject & Sendable,
        _: @escaping @Sendable (OtherWrites) -> Void
    ) {}

    public var hasUnnoticedWrites: Bool { false }

    public func noticeOtherWriters() {}

    public func page(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> RowPage? { nil }

    public func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedPage? {
        nil
    }

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
        let stored = Dictionary(keepingFirst: zip(objects, rows))
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

/// A read that a store can explain.
public enum StoreRead: Sendable {
    case fetch(StoreFetchRequest)
    /// The members of an owner's to-many relationship that match a request.
    case related(along: RelationshipDescription, owner: ManagedObjectID, matching: RelatedRequest)
}

/// A state of a store that stays readable.
public protocol StoreGeneration: Sendable {}

/// Metadata that a store keeps beside its objects.
public struct StoreMetadata: Hashable, Sendable {
    public var values: [String: Value]

    /// The key of the store's type, such as `XML`, as in Core Data.
    public static let typeKey = "NSStoreType"
    /// The key of the store's identifier.
    public static let identifierKey = "NSStoreUUID"
    /// The key of the number of times that the store was migrated.
    package static let migrationsKey = "OutcropMigrations"

    public init(values: [String: Value] = [:]) {
        self.values = values
    }

    /// How often the store was migrated: objects of the same version looked different before.
    package var migrationCount: Int64 {
        if case .integer(let count)? = values[Self.migrationsKey] { count } else { 0 }
    }

    /// Counts a migration.
    package mutating func countMigration() { values[Self.migrationsKey] = .integer(migrationCount + 1) }
}
