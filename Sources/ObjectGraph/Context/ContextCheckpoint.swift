// SPDX-License-Identifier: Apache-2.0

// The whole state of a context, for restoring it after failures that inverse edits can't revert.

/// A context's state at some time: its objects' states, pending changes, and undo groups.
struct ContextCheckpoint {
    private struct Known {
        let object: ManagedObject
        let objectID: ManagedObjectID
        let state: ManagedObject.State
    }

    /// The registered objects, those deleted, and those that undo and redo may restore.
    private let known: [Known]
    private let registered: [ManagedObjectID: ManagedObject]
    private let pending: PendingRecords
    private let undo: ObjectUndoManager.Records?

    init(of context: ManagedObjectContext) {
        registered = context.registered
        pending = context.pending
        undo = context.undoManager?.records
        var objects = Set(registered.values)
        objects.formUnion(context.deleted.members)
        if let undo { objects.formUnion(undo.objects) }
        known = objects.map { Known(object: $0, objectID: $0.objectID, state: $0.state) }
    }

    /// Restores this state. Objects that were read since stay, without changes, unless they are gone.
    func restore(_ context: ManagedObjectContext) {
        for known in known where known.object.state != known.state {
            let object = known.object
            let wasDeleted = object.isDeleted
            object.state = known.state
            guard registered[known.objectID] === object || object.isDeleted else {
                if context.registered[object.objectID] === object { context.event.remove(object) }
                continue
            }
            switch (wasDeleted, object.isDeleted) {
            case (true, false): context.event.restore(object)
            case (false, true): context.event.delete(object, wasInserted: false)
            default: context.event.refresh(object)
            }
        }
        for known in known where known.object.objectID != known.objectID { known.object.objectID = known.objectID }
        let objects = Set(known.map(\.object))
        var registered = registered
        for (objectID, object) in context.registered where !objects.contains(object) && !object.isGone {
            if object.isInserted {
                object.status.remove(.inserted)
                context.event.remove(object)
                continue
            }
            if object.hasChanges {
                if object.isDeleted { context.event.restore(object) } else { context.event.refresh(object) }
                object.state = ManagedObject.State(status: .fault, snapshot: object.snapshot)
            }
            if registered[objectID] == nil { registered[objectID] = object }
        }
        context.registered = registered
        context.pending = pending
        if let undo { context.undoManager?.records = undo }
        context.hasRebased = true
        context.archiveTracker = nil
    }
}
