// SPDX-License-Identifier: Apache-2.0

// A context's pending changes and its history as values, which refer to objects by their places in a list.

import FoundationEssentials
import Predicates

/// All that makes a context differ from a new one, but for its settings and for what it has only read.
struct ContextState {
    /// An object of the context, or one that only undo or redo can bring back.
    struct Object {
        enum Standing: UInt8 {
            /// It has nothing of its own that a store hasn't.
            case plain
            case registered
            /// It was deleted and saved, or its insertion was taken back.
            case detached
        }

        let objectID: ManagedObjectID
        let standing: Standing
        /// That of the row which a plain one was known to have.
        var version: Int64?
        var status: ManagedObject.Status = .fault
        var snapshot: Snapshot?
        /// The present values; nil in a fault.
        var row: Row?
        var toManys: [ToMany] = []
    }

    var objects: [Object] = []
    var inserted: [Int] = []
    var updated: [Int] = []
    var deleted: [Int] = []
    var locked: [Int] = []
    var newer: [(objectID: ManagedObjectID, stored: Snapshot?)] = []
    var contested: [(objectID: ManagedObjectID, values: ContestedValues)] = []
    var successors: [(former: ManagedObjectID, present: ManagedObjectID)] = []
    var departed: [ManagedObjectID] = []
    var assignments: [(objectID: ManagedObjectID, store: UUID)] = []
    var hasRebased = false
    /// That of the edits which bring back what is committed.
    var era = 0
    var undoable: [[Inverse<Int>]] = []
    var redoable: [[Inverse<Int>]] = []
    var consequences: [Consequence<Int>] = []

    init() {}
}

extension ContextState {
    /// What a context is like whose changes are processed.
    init(of context: ManagedObjectContext) {
        var places: [ManagedObject: Int] = [:]
        var all: [ManagedObject] = []
        func place(_ object: ManagedObject) -> Int {
            if let place = places[object] { return place }
            places[object] = all.count
            all.append(object)
            return all.count - 1
        }
        inserted = context.inserted.map(place)
        updated = context.updated.map(place)
        deleted = context.deleted.map(place)
        locked = context.locked.map(place)
        // In an order of their own, so that what is the same is archived as the same bytes.
        newer = context.newer.map { (objectID: $0, stored: $1) }.sorted { $0.objectID.uri < $1.objectID.uri }
        for objectID in newer.map(\.objectID) { _ = context.registered[objectID].map(place) }
        contested = context.contested.map { (objectID: $0, values: $1) }.sorted { $0.objectID.uri < $1.objectID.uri }
        successors = context.successors.map { (former: $0, present: $1) }.sorted { $0.former.uri < $1.former.uri }
        departed = context.departed.sorted { $0.uri < $1.uri }
        assignments = context.assignments.map { (objectID: $0, store: $1) }
            .sorted { $0.objectID.uri < $1.objectID.uri }
        (hasRebased, era) = (context.hasRebased, context.era)
        if let undoManager = context.undoManager {
            let groups = undoManager.groups
            undoable = groups.undoable.map { $0.map { $0.map(place) } }
            redoable = groups.redoable.map { $0.map { $0.map(place) } }
            consequences = undoManager.consequences.map { $0.map(place) }
        }
        let kept = Set(locked + newer.compactMap { context.registered[$0.objectID].map(place) })
        objects = all.enumerated().map { place, object in Object(object, of: context, isKept: kept.contains(place)) }
    }
}

extension ContextState.Object {
    /// - Parameter isKept: whether its committed values count, although it has no changes.
    fileprivate init(_ object: ManagedObject, of context: ManagedObjectContext, isKept: Bool) {
        objectID = object.objectID
        let isRegistered = context.registered[object.objectID] === object
        let isPlain = object.status.isDisjoint(with: [.inserted, .updated, .deleted])
        guard !isRegistered || !isPlain || isKept else {
            (standing, version) = (.plain, object.snapshot?.version)
            return
        }
        standing = isRegistered ? .registered : .detached
        status = object.status
        snapshot = object.snapshot
        row = object.isFault ? nil : object.row
        guard !object.toManys.isEmpty else { return }
        let isCommitted = isRegistered && !object.isInserted && !object.isGone
        toManys = object.entity.toManys.map { relationship in
            let toMany = object.toManys[relationship.slot]
            // The store has these.
            return isCommitted && !toMany.hasChanges ? .fault(relationship) : toMany
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
    /// The same edit of what stands for its object.
    func map<Other>(_ transform: (Object) -> Other) -> Edit<Other> {
        switch self {
        case .attribute(let object, let slot, let value): .attribute(transform(object), slot: slot, value)
        case .toOne(let object, let slot, let destination): .toOne(transform(object), slot: slot, destination)
        case .addMember(let object, let slot, let member, let index):
            .addMember(transform(object), slot: slot, member, at: index)
        case .removeMember(let object, let slot, let member): .removeMember(transform(object), slot: slot, member)
        case .order(let object, let slot, let order): .order(transform(object), slot: slot, order)
        case .insert(let object): .insert(transform(object))
        case .remove(let object): .remove(transform(object))
        case .delete(let object): .delete(transform(object))
        case .restore(let object, let status, let lost): .restore(transform(object), status, lost: lost)
        }
    }
}
