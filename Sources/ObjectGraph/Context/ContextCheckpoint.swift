// SPDX-License-Identifier: Apache-2.0

// The whole state of a context, for restoring it after failures that inverse edits can't revert.

/// A context's state at some time: its objects' states, pending changes, and undo groups.
struct ContextCheckpoint {
    private struct State {
        let object: ManagedObject
        let status: ManagedObject.Status
        let snapshot: Snapshot?
        let row: Row
        let toManys: [ToMany]
        let assigned: AssignedProperties

        init(_ object: ManagedObject) {
            self.object = object
            status = object.status
            snapshot = object.snapshot
            row = object.row
            toManys = object.toManys
            assigned = object.assigned
        }

        /// Whether the object still has this state.
        var isPresent: Bool {
            object.status == status && object.snapshot === snapshot && object.row == row && object.toManys == toManys
                && object.assigned == assigned
        }

        func restore() {
            object.status = status
            object.snapshot = snapshot
            object.row = row
            object.toManys = toManys
            object.assigned = assigned
        }
    }

    private let states: [State]
    private let registered: [ManagedObjectID: ManagedObject]
    private let pending: [PendingObjects]
    private let unpropagated: [ManagedObject]
    private let successors: [ManagedObjectID: ManagedObjectID]
    private let savedDeletions: Set<ManagedObjectID>
    private let newer: [ManagedObjectID: Snapshot?]
    private let contested: [ManagedObjectID: ConflictBases]
    private let survivors: [ManagedObjectID: ManagedObjectID]
    private let formerVersions: [ManagedObjectID: Int64]
    private let undo: ObjectUndoManager.Groups?

    init(of context: ManagedObjectContext) {
        registered = context.registered
        let others = context.deleted.filter { context.registered[$0.objectID] !== $0 }
        states = (Array(registered.values) + others).map(State.init)
        pending = [context.inserted, context.updated, context.deleted, context.locked]
        unpropagated = context.unpropagated
        successors = context.successors
        savedDeletions = context.savedDeletions
        newer = context.newer
        contested = context.contested
        survivors = context.survivors
        formerVersions = context.formerVersions
        undo = context.undoManager?.allGroups
    }

    /// Restores this state. Objects that were registered since stay, unless they are gone.
    func restore(_ context: ManagedObjectContext) {
        for state in states where !state.isPresent {
            let wasDeleted = state.object.isDeleted
            state.restore()
            switch (wasDeleted, state.object.isDeleted) {
            case (true, false): context.event.restore(state.object)
            case (false, true): context.event.delete(state.object, wasInserted: false)
            default: context.event.refresh(state.object)
            }
        }
        context.registered = registered.merging(context.registered.filter { !$0.value.isGone }) { before, _ in before }
        context.inserted = pending[0]
        context.updated = pending[1]
        context.deleted = pending[2]
        context.locked = pending[3]
        context.unpropagated = unpropagated
        context.successors = successors
        context.savedDeletions = savedDeletions
        context.newer = newer
        context.contested = contested
        context.survivors = survivors
        context.formerVersions = formerVersions
        if let undo { context.undoManager?.allGroups = undo }
        context.hasRebased = true
        context.archiveTracker = nil
    }
}
