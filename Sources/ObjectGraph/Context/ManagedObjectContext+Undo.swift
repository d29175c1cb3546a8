// SPDX-License-Identifier: Apache-2.0

// Taking changes back, and making them again.

extension ManagedObjectContext {
    /// Takes the last group of changes back.
    public func undo() throws(GraphError) { try replay(undoing: true) }

    /// Makes the changes again that were taken back last.
    public func redo() throws(GraphError) { try replay(undoing: false) }

    private func replay(undoing: Bool) throws(GraphError) {
        try processPendingChanges()
        guard let undoManager else { return }
        try undoManager.replay(undoing: undoing) { edits throws(GraphError) in
            let touched = OrderedMembers(edits.map(\.object))
            try fire(touched.filter { !$0.isDeleted && registered[$0.objectID] === $0 })
            let before = touched.map(\.status)
            let rows = touched.map { $0.isFault ? nil : $0.row }
            renew(edits)
            for edit in edits { perform(edit) }
            for (object, row) in zip(touched, rows) where !object.isDeleted {
                if let row { relink(object, before: row) }
            }
            for object in touched { settle(object) }
            undoManager.disableRegistration()
            defer { undoManager.enableRegistration() }
            // What the rules led to is in the group, but for what others have related to the objects since then.
            unpropagated = zip(touched, before)
                .filter { $0.isDeleted && $0.hasChanges && !$1.contains(.deleted) }.map(\.0)
            try propagateDeletions()
            for object in touched { catchUp(object) }
            try propagateDeletions()
            for (object, status) in zip(touched, before) {
                settle(object)
                object.awake(fromSnapshotEvents: object.snapshotEvents(since: status))
            }
        }
        try processPendingChanges()
    }

    /// Makes the other sides of an object's relationships to one follow, where others have changed them since the changes that
    /// were taken back.
    private func relink(_ object: ManagedObject, before: Row) {
        guard registered[object.objectID] === object else { return }
        for relationship in object.entity.toOnes {
            let (old, new) = (before.toOnes[relationship.slot], object.row.toOnes[relationship.slot])
            guard old != new, let inverse = relationship.inverse, inverse.isToMany else { continue }
            if let old = old.flatMap({ registered[$0] }) {
                perform(.removeMember(old, slot: inverse.slot, object.objectID))
            }
            if let new = new.flatMap({ registered[$0] }) {
                perform(.addMember(new, slot: inverse.slot, object.objectID, at: nil))
            }
        }
        pairUp(object, before: before)
    }

    /// Counts an object as unchanged again if it is as it was at the last save.
    func settle(_ object: ManagedObject) {
        guard object.isUpdated, object.isFault || object.row == object.snapshot?.row,
            !object.toManys.contains(where: \.hasChanges)
        else { return }
        object.status.remove(.updated)
        updated.remove(object)
    }
}

extension ManagedObject {
    fileprivate func snapshotEvents(since status: Status) -> SnapshotEvents {
        switch (status.contains(.deleted), isDeleted, status.contains(.inserted), isInserted) {
        case (true, false, _, _), (_, _, false, true): .undoDeletion
        case (false, true, _, _), (_, _, true, false): .undoInsertion
        default: .undoUpdate
        }
    }
}
