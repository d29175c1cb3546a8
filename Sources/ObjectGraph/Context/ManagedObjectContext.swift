// SPDX-License-Identifier: Apache-2.0

// A context: the objects that somebody works with, and what was changed of them. What it does has files of its own.

import FoundationEssentials

/// A scratch pad of objects over a coordinator's stores, or over another context.
///
/// A context is handed to closures and never leaves them, see `PersistentStoreCoordinator.withContext`.
///
/// 1. There is one object for an ID, in `registered`, under the ID that it has now.
/// 2. `inserted`, `updated` and `deleted` have no object in common, and say the same as the objects' status. What others have
///    deleted is marked as deleted and as missing, and is in none of them.
/// 3. Both sides of a relationship are equal after each call, as far as they are loaded.
/// 4. Whatever changes an object goes through `perform(_:)`, which undo relies on.
public final class ManagedObjectContext {
    public let model: ManagedObjectModel
    let source: any ObjectSource
    let confinement = Confinement()

    /// A name for logs and history.
    public var name: String?
    /// Who makes the changes, for history.
    public var transactionAuthor: String?
    /// What happens when others have changed what is to be saved.
    public var mergePolicy: MergePolicy = .error
    /// What happens when values are others' already that must be unique; nil for what the merge policy says.
    public var constraintPolicy: MergePolicy.Kind?
    /// Whether an object whose row is gone counts as deleted when its values are read. Otherwise reading is an error.
    public var shouldDeleteInaccessibleFaults = true
    /// How old rows may be that are read from what contexts share; nil where age doesn't count, zero for always reading anew.
    public var stalenessInterval: Duration?
    /// Whether what others save is merged into a live context by itself. Otherwise it waits for `mergeSavedChanges()`.
    public var automaticallyMergesChanges = true
    /// Whether an edited value that others have changed too goes out from what it was before, when that is merged, so that the save
    /// finds the conflict. Otherwise the merge moves the base, the save writes the edit, and `contests` tells what was edited on both
    /// sides.
    public var mergesKeepBase = true
    /// Whether objects stay that nobody else holds and nobody has changed.
    public var retainsRegisteredObjects = false
    /// Whether changes are undoable; nil means they aren't.
    public var undoManager: ObjectUndoManager?
    /// How many bytes what is pending and what can be undone may take, roughly, where there is an undo manager; nil for as many as
    /// they need. See `makeRoom()`.
    public var memoryLimit: Int? {
        didSet { pendingBound = nil }
    }

    var registered: [ManagedObjectID: ManagedObject] = [:]
    var inserted = PendingObjects()
    var updated = PendingObjects()
    var deleted = PendingObjects()
    /// Objects that a save depends on without changing them.
    var locked = PendingObjects()
    /// Objects that were deleted and whose relationships don't know it yet.
    var unpropagated: [ManagedObject] = []
    /// Whether delete rules are being followed.
    var isPropagating = false
    var deletionHooks = DeletionHooks()
    /// How many insertions are under way, each by the `awakeFromInsert()` of the one before.
    var insertionDepth = 0
    var isSaving = false
    /// The validation that is under way, and the value that it asks an object about.
    var validation: ValidationRun?
    var valueCheck: ValueCheck?
    /// The IDs that objects got in the place of others: by a save, or by undoing a deletion that was saved.
    var successors: [ManagedObjectID: ManagedObjectID] = [:]
    /// The IDs of objects whose deletion was saved, to which undo may lead without bringing them back.
    var departed: Set<ManagedObjectID> = []
    /// The IDs of objects that others have deleted, while that is merged.
    var vanishing: Set<ManagedObjectID> = []
    var vanishingRanges: ObjectIDRangeIndex?
    /// What others have made of rows that were changed here otherwise, nil where they have deleted them. Their objects go out
    /// from older versions, so that the save finds the conflict.
    var newer: [ManagedObjectID: Snapshot?] = [:]
    /// The values that edits went out from which others have edited as well, where the merge has moved the base.
    var contested: [ManagedObjectID: ContestedValues] = [:]
    /// Where the temporary IDs of new objects come from; nil where nobody names them.
    var temporaryIDs: TemporaryIDs?
    /// What happened since changes were last processed.
    var event = ContextEvent()
    /// Whether an object is awakening from a fetch; what it changes of itself counts as no change.
    var isAwakening = false
    /// Whether changes are taken back, or made again.
    var isTakingBack = false
    /// What comes of deletions that are made again, while they are.
    var deletionTrace: DeletionTrace?
    /// How many groups are open that are taken back if they fail, and what was there before one of them moved what changes go out from.
    var groupDepth = 0
    var groupCheckpoint: ContextCheckpoint?
    /// The objects that new ones of the latest save, or of one under way, were in the way of.
    var survivors: [ManagedObjectID: ManagedObjectID] = [:]
    /// Whether the committed state was ever made another one by what others did.
    var hasRebased = false
    /// Counts the merges that made something else of what is pending, or gave it something else to go out from.
    var pendingMoves = 0
    var hasMovedPending = false
    /// What that took at most which is pending, or can be undone, when room was made for it; nil where it has to be counted.
    var pendingBound: Int?
    /// What `pendingSize` was when it was last counted for `pendingSizeBound`.
    var countedSize = 0
    /// Counts the saves: what they have written is no longer what the edits before them went out from.
    var era = 0
    /// The stores that new objects are to go to, where somebody has said so.
    var assignments: [ManagedObjectID: UUID] = [:]
    /// The versions that new objects had before others have deleted them.
    var formerVersions: [ManagedObjectID: Int64] = [:]
    /// What new objects were called elsewhere, and are to be called still.
    var kept: [ManagedObjectID: KeptIdentity] = [:]
    var observers: [Int: (ContextNotification) -> Void] = [:]
    var lastObservation = 0
    /// Who is told besides the observers, and is no reason to make objects for what is told.
    var follower: ((ContextNotification) -> Void)?
    /// What has changed since the context was archived, where its archives follow each other.
    var trail: ContextTrail?
    /// What typed properties could not throw.
    var deferredErrors = DeferredErrors()
    /// The number of registered objects at which those that nobody holds are let go.
    private var sweepingCount = 1024

    init(model: ManagedObjectModel, source: any ObjectSource) {
        self.model = model
        self.source = source
        confinement.bind(to: self)
    }

    /// The objects that were inserted, in that order.
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

    /// All objects of the context that somebody holds or that have changes.
    public var registeredObjects: [ManagedObject] {
        confinement.check()
        return Array(registered.values)
    }
}

@available(*, unavailable, message: "A context stays in the closure that it was handed to.")
extension ManagedObjectContext: Sendable {}

extension ManagedObjectContext {
    /// The object of an ID if the context has it already; nothing is read.
    public func registeredObject(for objectID: ManagedObjectID) -> ManagedObject? {
        confinement.check()
        return registered[current(objectID)]
    }

    /// The ID that a URI names; nil where it names no object of the context's stores.
    public func objectID(forURI uri: String) -> ManagedObjectID? { source.objectID(forURI: uri) }

    /// The object of an ID, as a fault if the context hasn't it yet; nothing is read. Whether there is such an object shows
    /// when its values are read.
    public func object(with objectID: ManagedObjectID) -> ManagedObject {
        confinement.check()
        let objectID = current(objectID)
        if let object = registered[objectID], !object.isMistaken(for: objectID) { return object }
        let isNobody = objectID.isTemporary && !source.hasUnsaved(objectID)
        return register(objectID, status: isNobody ? [.fault, .missing] : .fault)
    }

    /// Whether an object is here, or beneath, that was never saved into a store.
    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool {
        guard let objectID = lasting(objectID), objectID.isTemporary else { return false }
        guard let object = registered[objectID], !object.isFault else { return source.hasUnsaved(objectID) }
        return object.status.isDisjoint(with: [.deleted, .missing])
    }

    /// The object of an ID, read from the store unless it is known; an error if there is none. It is of the entity that its row
    /// says, be the ID of one above that.
    public func existingObject(with objectID: ManagedObjectID) throws(GraphError) -> ManagedObject {
        confinement.check()
        let known = registered[current(objectID)]
        if known?.isFault ?? true, !current(objectID).isTemporary, objectID.entity.kinds.count > 1,
            let row = try source.snapshots(of: [current(objectID)], staleness: stalenessInterval)[0]
        {
            _ = self.object(of: row, refreshing: false)
        }
        let object = object(with: objectID)
        try fireAnew([object])
        guard !object.status.contains(.missing) else { throw .objectMissing(objectID) }
        return object
    }

    /// The objects of some IDs, those whose rows aren't known yet read by one call; nil for those that aren't there, or are deleted. Each is
    /// of the entity that its row says.
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

    /// Makes the object of an ID that has none.
    func register(_ objectID: ManagedObjectID, status: ManagedObject.Status) -> ManagedObject {
        let birth = ManagedObject.Birth(entity: objectID.entity, objectID: objectID, confinement: confinement)
        let object = source.objectClass(for: objectID.entity).init(birth)
        object.status = status
        enroll(object)
        return object
    }

    func enroll(_ object: ManagedObject) {
        if registered.count >= sweepingCount, !retainsRegisteredObjects { sweep() }
        registered.updateValue(object, forKey: object.objectID)?.leaveArchive()
        reclaim([object.objectID])
    }

    /// Lets go of an object whose deletion was saved.
    func depart(_ object: ManagedObject) {
        registered[object.objectID] = nil
        if undoManager != nil { departed.insert(object.objectID) }
    }

    /// Has IDs name the rows that the stores have. One that was deleted, and may have come back here as a new one, can come
    /// back as itself as well.
    func reclaim(_ objectIDs: [ManagedObjectID]) {
        guard !successors.isEmpty || !departed.isEmpty else { return }
        for objectID in objectIDs where !objectID.isTemporary {
            departed.remove(objectID)
            if successors.removeValue(forKey: objectID) != nil { hasRebased = true }
        }
    }

    /// Lets go of the objects that nobody else holds and that have no changes. Done whenever their number has doubled, it
    /// costs little each, and spares every object a weak reference's bookkeeping.
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
        // Undo may still need the IDs that objects had before.
        if undoManager == nil { successors = successors.filter { registered[current($1)] != nil } }
        sweepingCount = max(1024, 2 * registered.count)
    }
}
