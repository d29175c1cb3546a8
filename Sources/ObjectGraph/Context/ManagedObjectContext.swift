// SPDX-License-Identifier: Apache-2.0

// A context: a set of objects and their pending changes. Its operations are in extensions.

/// A working set of objects over a coordinator's stores, or over another context.
///
/// A context is passed to closures and never leaves them; see `PersistentStoreCoordinator.withContext`.
///
/// 1. There is one object for an ID, in `registered`, under its current ID.
/// 2. `inserted`, `updated` and `deleted` are disjoint and agree with the objects' status. Objects that others have
///    deleted are marked as deleted and missing, and are in none of them.
/// 3. Both sides of a relationship are equal after each call, as far as they are loaded.
/// 4. All changes of objects go through `perform(_:)`, which undo relies on.
public final class ManagedObjectContext {
    public let model: ManagedObjectModel
    let source: any ObjectSource
    let confinement = Confinement()

    /// A name for logs and history.
    public var name: String?
    /// The author of the changes, for history.
    public var transactionAuthor: String?
    /// How a save resolves conflicts with changes of others.
    public var mergePolicy: MergePolicy = .error
    /// How a save resolves violations of uniqueness constraints; nil to follow the merge policy.
    public var constraintPolicy: MergePolicy.Kind?
    /// Whether reading the values of an object whose row is gone marks it as deleted instead of throwing.
    public var shouldDeleteInaccessibleFaults = true
    /// How old cached rows may be; nil for any age, zero to always read again.
    public var stalenessInterval: Duration?
    /// Whether a live context merges the saves of others automatically. Otherwise they wait for `mergeSavedChanges()`.
    /// In a `ContextFamily` whose root doesn't merge they are dropped: use `mergeAll()`.
    public var automaticallyMergesChanges = true
    /// Whether an edited value keeps its base when a merge brings another value, so that the save finds the conflict.
    /// Otherwise the merge moves the base, the save writes the edit, and `editConflicts` has the properties edited on both
    /// sides.
    public var mergesKeepBase = true
    /// Whether objects without changes stay registered when they aren't referenced.
    public var retainsRegisteredObjects = false
    /// Records changes for undo; nil if changes can't be undone.
    public var undoManager: ObjectUndoManager?
    /// The approximate number of bytes that pending changes and undo steps may use, given an undo manager; nil for no
    /// limit. See `makeRoom()`.
    public var memoryLimit: Int? {
        didSet { pendingBound = nil }
    }

    var registered: [ManagedObjectID: ManagedObject] = [:]
    var pending = PendingRecords()
    /// Whether delete rules are being applied.
    var isPropagating = false
    /// The roots of the entities of the objects whose delete rules were applied or are being applied.
    var reachedHierarchies: Set<Int> = []
    var deletionHooks = DeletionHooks()
    /// The number of nested insertions, each made by the `awakeFromInsert()` of the one before.
    var insertionDepth = 0
    var isSaving = false
    /// The running validation, and the value that it checks.
    var validation: ValidationRun?
    var valueCheck: ValueCheck?
    /// The IDs of objects that others have deleted, while that is being merged.
    var deletionsBeingMerged: Set<ManagedObjectID> = []
    var deletedRangesBeingMerged: ObjectIDRangeIndex?
    /// Generates the temporary IDs of new objects, or nil for unnumbered ones.
    var temporaryIDs: TemporaryIDs?
    /// What happened since changes were last processed.
    var event = ContextEvent()
    /// Whether an object is awakening from a fetch; its changes of itself don't count.
    var isAwakening = false
    /// Whether undo, redo, or the reverting of a group is running.
    var isReverting = false
    /// Objects being deleted again during a rebase.
    var deletionReplay: DeletionReplay?
    /// The number of open groups that are reverted if they fail, and the state before one of them moved a base.
    var groupDepth = 0
    var groupCheckpoint: ContextCheckpoint?
    /// Whether changes of others have ever replaced the committed state.
    var hasRebased = false
    /// The number of merges that changed what is pending, or its base.
    var pendingChangeCount = 0
    var hasChangedPending = false
    /// An upper bound for the size of what is pending or undoable, or nil if it has to be counted.
    var pendingBound: Int?
    /// The `pendingSize` that `pendingSizeBound` last counted.
    var countedSize = 0
    /// The number of saves: values that a save has written are no longer the base of the edits before it.
    var era = 0
    var observers: [Int: (ContextNotification) -> Void] = [:]
    var lastObservation = 0
    /// Gets the same notifications as observers. Unlike an observer, it doesn't cause merges to register objects for
    /// unknown rows.
    var familyObserver: ((ContextNotification) -> Void)?
    /// What has changed since the context was archived, if archives follow each other.
    var archiveTracker: ArchiveTracker?
    /// Errors that typed properties couldn't throw.
    var deferredErrors = DeferredErrors()
    /// The number of registered objects at which unreferenced ones are released.
    private var sweepThreshold = 1024

    init(model: ManagedObjectModel, source: any ObjectSource) {
        self.model = model
        self.source = source
        confinement.bind(to: self)
    }

    /// The inserted objects, in order of insertion.
    public var insertedObjects: [ManagedObject] {
        confinement.check()
        return inserted.members
    }

    public var updatedObjects: [ManagedObject] {
        confinement.check()
        return updated.members
    }

    public var deletedObjects: [ManagedObject] {
        confinement.check()
        return deleted.members
    }

    public var hasChanges: Bool {
        confinement.check()
        return !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty
    }

    /// All objects of the context that are referenced or have changes.
    public var registeredObjects: [ManagedObject] {
        confinement.check()
        return Array(registered.values)
    }
}

@available(*, unavailable, message: "A context can't leave the closure that received it.")
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
    /// The object of an ID if it is registered, or nil; nothing is read.
    public func registeredObject(for objectID: ManagedObjectID) -> ManagedObject? {
        confinement.check()
        return registered[current(objectID)]
    }

    /// The ID that a URI names, or nil if it isn't of the context's stores.
    public func objectID(forURI uri: String) -> ManagedObjectID? { source.objectID(forURI: uri) }

    /// The object of an ID, as a fault if it isn't registered; nothing is read. Whether its row exists shows when its
    /// values are read.
    public func object(with objectID: ManagedObjectID) -> ManagedObject {
        confinement.check()
        let objectID = current(objectID)
        if let object = registered[objectID], !object.hasWrongEntity(for: objectID) { return object }
        let isNonexistent = objectID.isTemporary && !source.hasUnsaved(objectID)
        return register(objectID, status: isNonexistent ? [.fault, .missing] : .fault)
    }

    /// Whether an object exists here or in a parent that was never saved into a store.
    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool {
        guard let objectID = idForChildren(of: objectID), objectID.isTemporary else { return false }
        guard let object = registered[objectID], !object.isFault else { return source.hasUnsaved(objectID) }
        return object.status.isDisjoint(with: [.deleted, .missing])
    }

    /// The object of an ID, read from the store unless it is known; throws if there is none. Its entity is that of its
    /// row, which may be a subentity of the ID's.
    public func existingObject(with objectID: ManagedObjectID) throws(GraphError) -> ManagedObject {
        confinement.check()
        let known = registered[current(objectID)]
        if known?.isFault ?? true, !current(objectID).isTemporary, objectID.entity.kinds.count > 1,
            let row = try source.snapshots(of: [current(objectID)], staleness: stalenessInterval)[0]
        {
            _ = self.object(of: row, refreshing: false)
        }
        let object = object(with: objectID)
        try fireAgain([object])
        guard !object.status.contains(.missing) else { throw .objectMissing(objectID) }
        return object
    }

    /// The objects of some IDs, or nil for those that are missing or deleted. Unknown rows are read with one call. Each
    /// object's entity is that of its row.
    package func existingObjects(with objectIDs: [ManagedObjectID]) throws(GraphError) -> [ManagedObject?] {
        confinement.check()
        try processPendingChanges()
        let objectIDs = objectIDs.map(current)
        var found: [ManagedObjectID: ManagedObject] = [:]
        for objectID in objectIDs {
            if let object = registered[objectID], !object.isFault { found[objectID] = object }
        }
        let unread = objectIDs.filter { found[$0] == nil }
        if !unread.isEmpty {
            for case let row? in try source.snapshots(of: unread, staleness: stalenessInterval) {
                let object = object(of: row, refreshing: false)
                try fire([object])
                found[row.objectID] = object
            }
        }
        return objectIDs.map { objectID in found[objectID].flatMap { $0.presentSnapshot == nil ? nil : $0 } }
    }

    /// Creates the object of an ID that has none.
    func register(_ objectID: ManagedObjectID, status: ManagedObject.Status) -> ManagedObject {
        let object = makeObject(objectID, status: status)
        addRegistered(object)
        return object
    }

    /// Creates an object without registering it.
    func makeObject(_ objectID: ManagedObjectID, status: ManagedObject.Status) -> ManagedObject {
        let birth = ManagedObject.Birth(entity: objectID.entity, objectID: objectID, confinement: confinement)
        let object = source.objectClass(for: objectID.entity).init(birth)
        object.status = status
        return object
    }

    func addRegistered(_ object: ManagedObject) {
        if registered.count >= sweepThreshold, !retainsRegisteredObjects { sweep() }
        registered.updateValue(object, forKey: object.objectID)?.markChangedSinceArchive()
        rebindToRows([object.objectID])
    }

    /// Unregisters an object whose deletion was saved.
    func unregisterDeleted(_ object: ManagedObject) {
        registered[object.objectID] = nil
        if undoManager != nil { pending.savedDeletions.insert(object.objectID) }
    }

    /// Makes IDs refer to the rows of the stores. A deleted row that may have been restored here as a new object can be
    /// restored as itself too.
    func rebindToRows(_ objectIDs: [ManagedObjectID]) {
        guard !pending.successors.isEmpty || !pending.savedDeletions.isEmpty else { return }
        for objectID in objectIDs where !objectID.isTemporary {
            pending.savedDeletions.remove(objectID)
            if pending.successors.removeValue(forKey: objectID) != nil { hasRebased = true }
        }
    }

    /// Releases the objects that are unreferenced and unchanged. Sweeping whenever the number has doubled has a small
    /// amortized cost, and saves the bookkeeping of weak references.
    private func sweep() {
        var unheld: [ManagedObject] = []
        var index = registered.values.startIndex
        while index != registered.values.endIndex {
            if isKnownUniquelyReferenced(&registered.values[index]), !registered.values[index].hasChanges {
                unheld.append(registered.values[index])
            }
            registered.values.formIndex(after: &index)
        }
        for object in unheld {
            if !object.isFault { object.willTurnIntoFault() }
            registered[object.objectID] = nil
        }
        // Undo may still need former IDs.
        if undoManager == nil { pending.successors = pending.successors.filter { registered[current($1)] != nil } }
        sweepThreshold = max(1024, 2 * registered.count)
    }
}
