// SPDX-License-Identifier: Apache-2.0

// The whole state of a context, for restoring it after failures that inverse edits can't revert.

/// A context's state at some time: its objects' states, pending changes, and undo groups.
struct ContextCheckpoint {
    private let states: [(object: ManagedObject, state: ManagedObject.State)]
    private let registered: [ManagedObjectID: ManagedObject]
    private let pending: PendingRecords
    private let undo: ObjectUndoManager.Records?

    init(of context: ManagedObjectContext) {
        registered = context.registered
        let others = context.deleted.filter { context.registered[$0.objectID] !== $0 }
        states = (Array(registered.values) + others).map { ($0, $0.state) }
        pending = context.pending
        undo = context.undoManager?.records
    }

    /// Restores this state. Objects that were registered since stay, unless they are gone.
    func restore(_ context: ManagedObjectContext) {
        for (object, state) in states where object.state != state {
            let wasDeleted = object.isDeleted
            object.state = state
            switch (wasDeleted, object.isDeleted) {
            case (true, false): context.event.restore(object)
            case (false, true): context.event.delete(object, wasInserted: false)
            default: context.event.refresh(object)
            }
        }
        context.registered = registered.merging(context.registered.filter { !$0.value.isGone }) { before, _ in before }
        context.pending = pending
        if let undo { context.undoManager?.records = undo }
        context.hasRebased = true
        context.archiveTracker = nil
    }
}
