// SPDX-License-Identifier: Apache-2.0

// The difference between two states of a context.

import FoundationEssentials

/// The changes in a context since its last archive, or its whole state.
struct ContextStep {
    /// Each with its index in the state; new ones are consecutive.
    var objects: [(place: Int, object: ContextState.Object)] = []
    /// The newly inserted objects, in order.
    var inserted: [Int] = []
    var updated: [Int] = []
    var deleted: [Int] = []
    var locked: [Int] = []
    var newer: [(objectID: ManagedObjectID, stored: Snapshot?)] = []
    var contested: [(objectID: ManagedObjectID, values: ConflictBases)] = []
    /// Nil if unchanged.
    var successors: [(former: ManagedObjectID, present: ManagedObjectID)]?
    var savedDeletions: [ManagedObjectID]?
    var assignments: [(objectID: ManagedObjectID, store: UUID)]?
    var hasRebased = false
    /// The era of edits that restore committed values.
    var era = 0
    var undoable = Groups()
    var redoable = Groups()
    var consequences: [Consequence<Int>] = []

    /// The change of the undo or redo groups.
    struct Groups {
        var dropped = 0
        var kept = 0
        var latest: [[Inverse<Int>]] = []

        func following(_ groups: [[Inverse<Int>]]) -> [[Inverse<Int>]] {
            groups.dropFirst(dropped).prefix(kept) + latest
        }
    }

    init() {}
}

extension ContextStep {
    /// The state of a context without unprocessed changes, or its difference from an archive.
    ///
    /// - Parameters:
    ///   - archiveTracker: What the archive has, updated to include this step.
    ///   - isWhole: Whether there is no archive.
    init(of context: ManagedObjectContext, _ archiveTracker: inout ArchiveTracker, isWhole: Bool) {
        func latest(_ objects: PendingObjects, _ archiveTracker: inout ArchiveTracker) -> [Int] {
            (isWhole ? objects.members : objects.latest?.members ?? []).map { archiveTracker.place($0) }
        }
        inserted = latest(context.inserted, &archiveTracker)
        updated = latest(context.updated, &archiveTracker)
        deleted = latest(context.deleted, &archiveTracker)
        locked = context.pending.locked.map { archiveTracker.place($0) }
        // Sorted, so that equal states have equal bytes.
        newer = context.pending.newer.map { (objectID: $0, stored: $1) }.sorted { $0.objectID.uri < $1.objectID.uri }
        contested = context.pending.contested.map { (objectID: $0, values: $1) }.sorted {
            $0.objectID.uri < $1.objectID.uri
        }
        hasRebased = context.hasRebased
        era = context.era
        addNames(of: context, &archiveTracker, isWhole: isWhole)
        addUndoGroups(of: context, &archiveTracker, isWhole: isWhole)
        let kept = context.pending.locked.members + newer.compactMap { context.registered[$0.objectID] }
        for object in kept { _ = archiveTracker.place(object) }
        archiveTracker.changed += archiveTracker.kept.symmetricDifference(kept)
        archiveTracker.kept = Set(kept)
        archiveTracker.era = era
        objects = archiveTracker.drainChanged().map { place, object in
            (place, ContextState.Object(object, of: context, isKept: archiveTracker.kept.contains(object)))
        }
    }

    /// Includes successors, departed IDs and store assignments if they changed.
    private mutating func addNames(
        of context: ManagedObjectContext,
        _ archiveTracker: inout ArchiveTracker,
        isWhole: Bool
    ) {
        if isWhole || archiveTracker.successors != context.pending.successors {
            successors = context.pending.successors.map { (former: $0, present: $1) }
                .sorted { $0.former.uri < $1.former.uri }
        }
        if isWhole || archiveTracker.savedDeletions != context.pending.savedDeletions {
            savedDeletions = context.pending.savedDeletions.sorted { $0.uri < $1.uri }
        }
        if isWhole || archiveTracker.assignments != context.pending.assignments {
            assignments = context.pending.assignments.map { (objectID: $0, store: $1) }
                .sorted { $0.objectID.uri < $1.objectID.uri }
        }
        archiveTracker.successors = context.pending.successors
        archiveTracker.savedDeletions = context.pending.savedDeletions
        archiveTracker.assignments = context.pending.assignments
    }

    private mutating func addUndoGroups(
        of context: ManagedObjectContext,
        _ archiveTracker: inout ArchiveTracker,
        isWhole: Bool
    ) {
        guard let undoManager = context.undoManager else { return }
        let following = undoManager.followingGroups(isWhole: isWhole)
        undoable = Groups(following.undoable) { archiveTracker.place($0) }
        redoable = Groups(following.redoable) { archiveTracker.place($0) }
        consequences = undoManager.records.consequences.map { $0.map { archiveTracker.place($0) } }
    }
}

extension ContextStep.Groups {
    fileprivate init(_ following: UndoStack.Following, _ place: (ManagedObject) -> Int) {
        self.init(
            dropped: following.archived.dropped,
            kept: following.archived.kept,
            latest: following.groups.map { group in group.map { $0.map(place) } }
        )
    }
}

extension ManagedObjectContext {
    /// The step since the last archive, or the whole state.
    func nextStep() -> (step: ContextStep, isWhole: Bool) {
        let isFollowed =
            archiveTracker?.era == era && undoManager != nil
            && [inserted, updated, deleted].allSatisfy { $0.latest != nil }
        // Moved out, so that it is uniquely referenced and mutated in place.
        var next = isFollowed ? archiveTracker ?? ArchiveTracker() : ArchiveTracker()
        archiveTracker = nil
        let step = ContextStep(of: self, &next, isWhole: !isFollowed)
        next.markDrainedAsArchived()
        archiveTracker = next
        inserted.follow()
        updated.follow()
        deleted.follow()
        undoManager?.follow()
        return (step, !isFollowed)
    }
}
