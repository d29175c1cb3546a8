// SPDX-License-Identifier: Apache-2.0

// A context's pending changes and history as values that refer to objects by their index in a list.

import FoundationEssentials
import Predicates

/// The whole state of a context, without its settings and objects that were only read.
struct ContextState {
    /// An object of the context, or one that only undo or redo can restore.
    struct Object {
        enum ContextPresence: UInt8 {
            /// It has no changes.
            case plain
            case registered
            /// Its deletion was saved, or its insertion was undone.
            case detached
        }

        let objectID: ManagedObjectID
        let contextPresence: ContextPresence
        /// The row version of a plain object, if it was known.
        var version: Int64?
        /// A plain object has only assigned properties, if no store has it: it may be the parent's.
        var state = ManagedObject.State(status: .fault)
    }

    var objects: [Object] = []
    var inserted = OrderedMembers<Int>()
    var updated = OrderedMembers<Int>()
    var deleted = OrderedMembers<Int>()
    var locked: [Int] = []
    var newer: [(objectID: ManagedObjectID, stored: Snapshot?)] = []
    var contested: [(objectID: ManagedObjectID, values: ConflictBases)] = []
    var successors: [(former: ManagedObjectID, present: ManagedObjectID)] = []
    var savedDeletions: [ManagedObjectID] = []
    var assignments: [(objectID: ManagedObjectID, store: UUID)] = []
    var hasRebased = false
    var undoable: [[Inverse<Int>]] = []
    var redoable: [[Inverse<Int>]] = []
    var consequences: [Consequence<Int>] = []

    init() {}
}

extension ContextState {
    /// Advances the state by a step.
    mutating func apply(_ step: ContextStep) {
        for (place, object) in step.objects {
            if place == objects.count { objects.append(object) } else { objects[place] = object }
        }
        let changed = step.objects.map(\.place)
        follow(&inserted, .inserted, changed, step.inserted)
        follow(&updated, .updated, changed, step.updated)
        follow(&deleted, .deleted, changed, step.deleted)
        locked = step.locked
        newer = step.newer
        contested = step.contested
        hasRebased = step.hasRebased
        successors = step.successors ?? successors
        savedDeletions = step.savedDeletions ?? savedDeletions
        assignments = step.assignments ?? assignments
        undoable = step.undoable.following(undoable)
        redoable = step.redoable.following(redoable)
        consequences = step.consequences
    }

    /// Removes objects from a list that don't have its status any more, and appends the latest ones.
    private func follow(
        _ list: inout OrderedMembers<Int>,
        _ status: ManagedObject.Status,
        _ changed: [Int],
        _ latest: [Int]
    ) {
        for place in changed where !objects[place].isPending(status) { list.remove(place) }
        for place in latest {
            list.remove(place)
            list.append(place)
        }
    }
}

extension ContextState.Object {
    /// Whether it belongs to the context's list of inserted, updated or deleted objects.
    func isPending(_ pending: ManagedObject.Status) -> Bool {
        let others = ManagedObject.Status([.inserted, .updated, .deleted]).subtracting(pending)
        return contextPresence == .registered && state.status.contains(pending) && state.status.isDisjoint(with: others)
            && !state.status.isSuperset(of: [.deleted, .missing])
    }

    /// - Parameter isKept: Whether its committed values matter although it has no changes.
    init(_ object: ManagedObject, of context: ManagedObjectContext, isKept: Bool) {
        objectID = object.objectID
        let isRegistered = context.registered[object.objectID] === object
        let isPlain = object.status.isDisjoint(with: [.inserted, .updated, .deleted])
        guard !isRegistered || !isPlain || isKept else {
            contextPresence = .plain
            version = object.snapshot?.version
            state.assigned = object.assigned
            return
        }
        contextPresence = isRegistered ? .registered : .detached
        state = object.state
        guard isRegistered, !object.isInserted, !object.isGone else { return }
        for slot in state.toManys.indices where !state.toManys[slot].hasChanges {
            // The store has the members.
            state.toManys[slot] = .fault(object.entity.toManys[slot])
        }
    }
}

extension Inverse {
    func map<Other>(_ transform: (Object) -> Other) -> Inverse<Other> {
        Inverse<Other>(edit: edit.map(transform), era: era)
    }
}

extension Consequence {
    func map<Other>(_ transform: (Object) -> Other) -> Consequence<Other> {
        Consequence<Other>(cause: transform(cause), inverse: inverse.map(transform))
    }
}

extension Edit {
    /// The same edit of another representation of its object.
    func map<Other>(_ transform: (Object) -> Other) -> Edit<Other> {
        switch self {
        case .attribute(let object, let slot, let value): .attribute(transform(object), slot: slot, value)
        case .toOne(let object, let slot, let destination): .toOne(transform(object), slot: slot, destination)
        case .addMember(let object, let slot, let member, let index):
            .addMember(transform(object), slot: slot, member, at: index)
        case .removeMember(let object, let slot, let member): .removeMember(transform(object), slot: slot, member)
        case .order(let object, let slot, let order): .order(transform(object), slot: slot, order)
        case .assign(let object, let place, let isAssigned): .assign(transform(object), place: place, isAssigned)
        case .insert(let object): .insert(transform(object))
        case .remove(let object): .remove(transform(object))
        case .delete(let object): .delete(transform(object))
        case .restore(let object, let status, let lost): .restore(transform(object), status, lost: lost)
        }
    }
}
