// SPDX-License-Identifier: Apache-2.0

// What is pending in a context, for display and for memory limits.

extension ManagedObjectContext {
    /// The approximate number of bytes of the context's changes and their undo groups.
    public var pendingSize: Int {
        confinement.check()
        var tally = PendingSizeCounter(self)
        guard let groups = undoManager?.groups else { return tally.size }
        for group in groups.undoable + groups.redoable { tally.add(group, self) }
        return tally.size
    }

    /// An upper bound of `pendingSize`, at most twice that and a megabyte, without counting each time.
    public var pendingSizeBound: Int {
        confinement.check()
        let undoesNothing = undoManager.map { !$0.canUndo && !$0.canRedo } ?? true
        if !hasChanges, undoesNothing { return 0 }
        if memoryLimit != nil, let pendingBound, pendingBound <= 2 * countedSize + 1 << 20 { return pendingBound }
        countedSize = pendingSize
        pendingBound = countedSize
        return countedSize
    }

    /// Makes `pendingSizeBound` count again, after pending changes were saved or discarded.
    public func invalidatePendingSize() {
        confinement.check()
        pendingBound = nil
    }

    /// Releases the oldest undo steps if what is pending exceeds `memoryLimit`. Throws if that isn't enough: the latest
    /// change can always be undone. Released steps return if `withUndoGroup(_:)` reverts.
    public func trimToMemoryLimit() throws(GraphError) {
        confinement.check()
        guard let memoryLimit, let undoManager, undoManager.isOpen else { return }
        // Everything is counted only if the bound exceeds the limit.
        if let pendingBound {
            let bound = pendingBound + PendingSizeCounter(undoManager.openGroup).size
            self.pendingBound = bound
            if bound <= memoryLimit { return }
        }
        var tally = PendingSizeCounter(self)
        var sizes: [Int] = []
        let groups = undoManager.groups.undoable
        for group in groups.reversed() {
            tally.add(group, self)
            if tally.size > memoryLimit { break }
            sizes.append(tally.size)
        }
        guard !sizes.isEmpty else { throw .tooLarge(tally.size, memoryLimit) }
        // Releases several at once, so that this doesn't happen at each change.
        let kept = sizes.count < groups.count ? max(1, min(sizes.count, groups.count - groups.count / 8)) : sizes.count
        pendingBound = sizes[kept - 1]
        undoManager.release(but: kept - 1)
    }

    /// Throws if so many edits can't fit the limit.
    func checkMemoryLimit(for edits: Int) throws(GraphError) {
        guard let memoryLimit, edits > memoryLimit / ContextEdit.minimumSize else { return }
        throw .tooLarge(edits * ContextEdit.minimumSize, memoryLimit)
    }

    /// The temporary IDs of pending objects and of those that undo and redo may restore.
    var temporaryObjectIDs: [ManagedObjectID] {
        let groups = undoManager?.groups
        let edited = ((groups?.undoable ?? []) + (groups?.redoable ?? [])).joined().map(\.edit.object.objectID)
        return (Array(registered.keys) + edited).filter(\.isTemporary)
    }

    /// Whether others have deleted an object that was edited here. The save finds the conflict.
    public func isDeletedByOthers(_ object: ManagedObject) -> Bool {
        confinement.check()
        return isKept(object.objectID)
    }
}

extension ManagedObject {
    /// The state that the object's changes are based on, or nil for an object that is new or not read yet.
    public final var committedSnapshot: Snapshot? {
        confinement.check()
        return isInserted ? nil : snapshot
    }

    /// The members added to and removed from a to-many relationship, and whether it was reordered.
    public final func changedMembers(
        of relationship: RelationshipDescription
    ) -> (added: [ManagedObjectID], removed: [ManagedObjectID], isReordered: Bool) {
        confinement.check()
        guard !toManys.isEmpty else { return ([], [], false) }
        let toMany = toManys[relationship.slot]
        return (toMany.addedInOrder, toMany.removed.members, toMany.ownOrder != nil)
    }
}

/// Counts the memory of changed objects and edits, each once.
private struct PendingSizeCounter {
    private(set) var size = 0
    private var counted: Set<ManagedObject> = []

    init(_ context: ManagedObjectContext) {
        for object in context.inserted.members + context.updated.members + context.deleted.members { add(object) }
    }

    /// Counts edits and their objects, whether these are counted already or not.
    init(_ group: UndoGroup) {
        for edit in group.lazy.map(\.edit) {
            add(edit.object)
            size += edit.approximateSize
        }
    }

    /// Adds edits, and the objects that exist only for them.
    mutating func add(_ group: UndoGroup, _ context: ManagedObjectContext) {
        for edit in group.lazy.map(\.edit) {
            if context.registered[edit.object.objectID] !== edit.object { add(edit.object) }
            size += edit.approximateSize
        }
    }

    private mutating func add(_ object: ManagedObject) {
        guard counted.insert(object).inserted else { return }
        size += object.row.approximateSize
        // A mapped value counts once: in the row, or in the snapshot if the row has replaced it.
        if let snapshot = object.snapshot {
            size += snapshot.row.approximateSize(besides: object.row) - snapshot.mappedBytes
        }
    }
}

extension ContextEdit {
    /// The size of an edit without values.
    static let minimumSize = 128

    /// The bytes of the edit, without values that the committed row counts.
    fileprivate var approximateSize: Int {
        switch self {
        case .attribute(let object, let slot, let value):
            Self.minimumSize + (object.snapshot?.row.attributes[slot] == value ? 0 : value.approximatePayload)
        case .order(_, _, let members): Self.minimumSize + 8 * members.count
        case .restore(_, _, let lost): Self.minimumSize + lost.reduce(0) { $0 + 32 + 8 * $1.count }
        case .toOne, .addMember, .removeMember, .assign, .insert, .remove, .delete: Self.minimumSize
        }
    }
}

extension GraphError {
    fileprivate static func tooLarge(_ size: Int, _ limit: Int) -> GraphError {
        GraphError(
            .contextFull,
            "The context's pending changes would take \(size) bytes; the limit is \(limit).",
            hint: "Save before further changes."
        )
    }
}
