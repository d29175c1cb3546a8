// SPDX-License-Identifier: Apache-2.0

// What is pending in a context, for those who show it.

extension ManagedObjectContext {
    /// The bytes that the context's changes and what undo keeps of them take, roughly.
    public var pendingSize: Int {
        confinement.check()
        let changed = inserted.members + updated.members + deleted.members
        return changed.reduce(512 * (undoManager?.editCount ?? 0)) { $0 + 2 * $1.row.roughSize }
    }

    /// The temporary IDs of objects that are pending, or that undo and redo may bring back.
    var temporaryObjectIDs: [ManagedObjectID] {
        let groups = undoManager?.groups
        let edited = ((groups?.undoable ?? []) + (groups?.redoable ?? [])).joined().map(\.object.objectID)
        return (Array(registered.keys) + edited).filter(\.isTemporary)
    }

    /// Whether others have deleted an object that was edited here. The save finds the conflict.
    public func isDeletedByOthers(_ object: ManagedObject) -> Bool {
        confinement.check()
        if case .some(.none) = newer[object.objectID] { return true }
        return false
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
        return (toMany.added.members, toMany.removed.members, toMany.ownOrder != nil)
    }
}
