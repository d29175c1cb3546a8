// SPDX-License-Identifier: Apache-2.0

// What makes the next state of a context of the one before.

import FoundationEssentials

/// What has changed in a context since it was archived last, or all of it where that goes out from nothing.
struct ContextStep {
    /// With the places that objects have in the state, those of new ones following each other.
    var objects: [(place: Int, object: ContextState.Object)] = []
    /// Those that came to be so, in that order.
    var inserted: [Int] = []
    var updated: [Int] = []
    var deleted: [Int] = []
    var locked: [Int] = []
    var newer: [(objectID: ManagedObjectID, stored: Snapshot?)] = []
    var contested: [(objectID: ManagedObjectID, values: ContestedValues)] = []
    /// Nil where they are as they were.
    var successors: [(former: ManagedObjectID, present: ManagedObjectID)]?
    var departed: [ManagedObjectID]?
    var assignments: [(objectID: ManagedObjectID, store: UUID)]?
    var hasRebased = false
    /// That of the edits which bring back what is committed.
    var era = 0
    var undoable = Groups()
    var redoable = Groups()
    var consequences: [Consequence<Int>] = []

    /// What becomes of the groups that undo or redo would perform.
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
    /// What a context is like whose changes are processed, or what has changed since an archive that has the rest.
    ///
    /// - Parameters:
    ///   - trail: What the archive has, and will have with this step.
    ///   - isWhole: Whether it has nothing.
    init(of context: ManagedObjectContext, _ trail: inout ContextTrail, isWhole: Bool) {
        func latest(_ objects: PendingObjects, _ trail: inout ContextTrail) -> [Int] {
            (isWhole ? objects.members : objects.latest?.members ?? []).map { trail.place($0) }
        }
        inserted = latest(context.inserted, &trail)
        updated = latest(context.updated, &trail)
        deleted = latest(context.deleted, &trail)
        locked = context.locked.map { trail.place($0) }
        // In an order of their own, so that what is the same is archived as the same bytes.
        newer = context.newer.map { (objectID: $0, stored: $1) }.sorted { $0.objectID.uri < $1.objectID.uri }
        contested = context.contested.map { (objectID: $0, values: $1) }.sorted { $0.objectID.uri < $1.objectID.uri }
        (hasRebased, era) = (context.hasRebased, context.era)
        takeNames(of: context, &trail, isWhole: isWhole)
        takeUndo(of: context, &trail, isWhole: isWhole)
        let kept = context.locked.members + newer.compactMap { context.registered[$0.objectID] }
        for object in kept { _ = trail.place(object) }
        trail.changed += trail.kept.symmetricDifference(kept)
        (trail.kept, trail.era) = (Set(kept), era)
        objects = trail.takeChanged().map { place, object in
            (place, ContextState.Object(object, of: context, isKept: trail.kept.contains(object)))
        }
    }

    /// Takes what the context knows of IDs, where that isn't as the archive has it.
    private mutating func takeNames(of context: ManagedObjectContext, _ trail: inout ContextTrail, isWhole: Bool) {
        if isWhole || trail.successors != context.successors {
            successors = context.successors.map { (former: $0, present: $1) }
                .sorted { $0.former.uri < $1.former.uri }
        }
        if isWhole || trail.departed != context.departed { departed = context.departed.sorted { $0.uri < $1.uri } }
        if isWhole || trail.assignments != context.assignments {
            assignments = context.assignments.map { (objectID: $0, store: $1) }
                .sorted { $0.objectID.uri < $1.objectID.uri }
        }
        (trail.successors, trail.departed) = (context.successors, context.departed)
        trail.assignments = context.assignments
    }

    private mutating func takeUndo(of context: ManagedObjectContext, _ trail: inout ContextTrail, isWhole: Bool) {
        guard let undoManager = context.undoManager else { return }
        let following = undoManager.followingGroups(isWhole: isWhole)
        undoable = Groups(following.undoable) { trail.place($0) }
        redoable = Groups(following.redoable) { trail.place($0) }
        consequences = undoManager.consequences.map { $0.map { trail.place($0) } }
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
    /// The step since the archive that the next one goes on with, or all.
    func nextStep() -> (step: ContextStep, isWhole: Bool) {
        let isFollowed =
            trail?.era == era && undoManager != nil && [inserted, updated, deleted].allSatisfy { $0.latest != nil }
        // It is the only one, so that it is changed where it stands.
        var next = isFollowed ? trail ?? ContextTrail() : ContextTrail()
        trail = nil
        let step = ContextStep(of: self, &next, isWhole: !isFollowed)
        next.follow()
        trail = next
        inserted.follow()
        updated.follow()
        deleted.follow()
        undoManager?.follow()
        return (step, !isFollowed)
    }
}
