// SPDX-License-Identifier: Apache-2.0

// What is pending in a context, for those who show it.

extension ManagedObjectContext {
    /// The bytes that the context's changes and what undo keeps of them take, roughly.
    public var pendingSize: Int {
        confinement.check()
        var tally = PendingTally(self)
        guard let groups = undoManager?.groups else { return tally.size }
        for group in groups.undoable + groups.redoable { tally.add(group, self) }
        return tally.size
    }

    /// No less than `pendingSize`, and not more than twice that and a megabyte, without all being counted each time.
    public var pendingSizeBound: Int {
        confinement.check()
        let undoesNothing = undoManager.map { !$0.canUndo && !$0.canRedo } ?? true
        if !hasChanges, undoesNothing { return 0 }
        if memoryLimit != nil, let pendingBound, pendingBound <= 2 * countedSize + 1 << 20 { return pendingBound }
        countedSize = pendingSize
        pendingBound = countedSize
        return countedSize
    }

    /// Has `pendingSizeBound` count anew, after what was pending was saved or given up.
    public func forgetPendingSize() {
        confinement.check()
        pendingBound = nil
    }

    /// Lets the oldest steps of undo go where what is pending takes more than `memoryLimit`. It throws where that isn't enough: what
    /// was changed last can be undone in any case. Steps that were let go come back if `asGroup(_:)` takes that back.
    public func makeRoom() throws(GraphError) {
        confinement.check()
        guard let memoryLimit, let undoManager, undoManager.isOpen else { return }
        // All is counted only where it might be too much.
        if let pendingBound {
            let bound = pendingBound + PendingTally(undoManager.openGroup).size
            self.pendingBound = bound
            if bound <= memoryLimit { return }
        }
        var tally = PendingTally(self)
        var sizes: [Int] = []
        let groups = undoManager.groups.undoable
        for group in groups.reversed() {
            tally.add(group, self)
            if tally.size > memoryLimit { break }
            sizes.append(tally.size)
        }
        guard !sizes.isEmpty else { throw .tooLarge(tally.size, memoryLimit) }
        // Where some go, so many do that it isn't for each change.
        let kept = sizes.count < groups.count ? max(1, min(sizes.count, groups.count - groups.count / 8)) : sizes.count
        pendingBound = sizes[kept - 1]
        undoManager.release(but: kept - 1)
    }

    /// Throws where there can't be room for so many edits.
    func checkRoom(for edits: Int) throws(GraphError) {
        guard let memoryLimit, edits > memoryLimit / ContextEdit.leastSize else { return }
        throw .tooLarge(edits * ContextEdit.leastSize, memoryLimit)
    }

    /// The temporary IDs of objects that are pending, or that undo and redo may bring back.
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
    /// The state that the object's changes go out from; nil for a new object, and for one that wasn't read yet.
    public final var committedSnapshot: Snapshot? {
        confinement.check()
        return isInserted ? nil : snapshot
    }

    /// What came to a relationship to many and what left it, and whether its members were put in another order.
    public final func changedMembers(
        of relationship: RelationshipDescription
    ) -> (added: [ManagedObjectID], removed: [ManagedObjectID], isReordered: Bool) {
        confinement.check()
        guard !toManys.isEmpty else { return ([], [], false) }
        let toMany = toManys[relationship.slot]
        return (toMany.addedInOrder, toMany.removed.members, toMany.ownOrder != nil)
    }
}

/// What objects with changes and edits take of memory, each counted once.
private struct PendingTally {
    private(set) var size = 0
    private var counted: Set<ManagedObject> = []

    init(_ context: ManagedObjectContext) {
        for object in context.inserted.members + context.updated.members + context.deleted.members { add(object) }
    }

    /// What edits and their objects take, whether these are counted already or not.
    init(_ group: UndoGroup) {
        for edit in group.lazy.map(\.edit) {
            add(edit.object)
            size += edit.roughSize
        }
    }

    /// Adds edits, and the objects that are there for them alone.
    mutating func add(_ group: UndoGroup, _ context: ManagedObjectContext) {
        for edit in group.lazy.map(\.edit) {
            if context.registered[edit.object.objectID] !== edit.object { add(edit.object) }
            size += edit.roughSize
        }
    }

    private mutating func add(_ object: ManagedObject) {
        guard counted.insert(object).inserted else { return }
        size += object.row.roughSize
        // A mapped value is counted by its length in one of the two: in the row, or where another has taken its place.
        if let snapshot = object.snapshot { size += snapshot.row.roughSize(besides: object.row) - snapshot.mappedBytes }
    }
}

extension ContextEdit {
    /// What each edit takes.
    static let leastSize = 128

    /// The bytes that the edit takes. What the committed row has, is counted there.
    fileprivate var roughSize: Int {
        switch self {
        case .attribute(let object, let slot, let value):
            Self.leastSize + (object.snapshot?.row.attributes[slot] == value ? 0 : value.roughPayload)
        case .order(_, _, let members): Self.leastSize + 8 * members.count
        case .restore(_, _, let lost): Self.leastSize + lost.reduce(0) { $0 + 32 + 8 * $1.count }
        case .toOne, .addMember, .removeMember, .assign, .insert, .remove, .delete: Self.leastSize
        }
    }
}

extension GraphError {
    fileprivate static func tooLarge(_ size: Int, _ limit: Int) -> GraphError {
        GraphError(
            .contextFull,
            "What is pending in the context would take \(size) bytes, and may take \(limit).",
            hint: "Save before more is changed."
        )
    }
}
