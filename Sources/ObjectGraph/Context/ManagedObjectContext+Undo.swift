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
            renew(edits)
            for edit in edits { perform(edit) }
            // What others have done since then may make something else of the edits.
            if hasRebased { try rebase() } else { for object in touched { settle(object) } }
            for (object, status) in zip(touched, before) {
                object.awake(fromSnapshotEvents: object.snapshotEvents(since: status))
            }
        }
        try processPendingChanges()
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
