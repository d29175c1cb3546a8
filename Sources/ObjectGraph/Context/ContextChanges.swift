// SPDX-License-Identifier: Apache-2.0

// What a context would do to a committed state. Merging, and resolving conflicts, puts the same changes onto another one.

import ObjectModel
import Predicates

/// The pending changes of a context as values, apart from the objects that they were made of.
///
/// 1. Lifted and reapplied with nothing in between, changes leave the context as it was.
/// 2. Between the two, each object is as the store is known to have it; only the new ones are there besides, related to nobody.
/// 3. What follows from a change is no change: what a deletion led to, and whom an object lost, one to one, to somebody else.
/// 4. A change that leads to an object that is gone is none any more, nor one that the store has as well.
/// 5. Where others have changed a value too, an object's `snapshot` keeps the value and the version that its own change goes
///    out from, so that the save finds the conflict. What the store has is in `newer`.
struct ContextChanges {
    /// What was changed of an object, and what it was like with it.
    struct Edited {
        let object: ManagedObject
        let status: ManagedObject.Status
        let row: Row
        let toManys: [ToMany]
        /// What the changes go out from.
        let base: Snapshot?
        var attributes: [(slot: Int, value: Value)] = []
        var toOnes: [(slot: Int, destination: ManagedObjectID?)] = []
        /// Whether the object is to be inserted again if others have deleted it.
        var isInsertedAgain = false

        init(_ object: ManagedObject) {
            (self.object, status, row) = (object, object.status, object.row)
            (toManys, base) = (object.toManys, object.snapshot)
        }
    }

    /// Two objects related to many on both sides, or by a relationship without an inverse.
    struct Pair: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
        let member: ManagedObjectID
    }

    /// Those inserted and updated, in this order.
    private(set) var edited: [Edited] = []
    private(set) var deleted: [Edited] = []
    var added: [Pair] = []
    var removed: [Pair] = []
    /// The members that came to ordered relationships whose members have the truth, in their order.
    private(set) var arrivals: [(owner: ManagedObject, inverse: Int, members: [ManagedObjectID])] = []
    /// The members that came to ordered relationships to many on both sides, in their order.
    private(set) var additions: [(owner: ManagedObject, slot: Int, members: [ManagedObjectID])] = []
    private(set) var orders: [(owner: ManagedObject, slot: Int, order: [ManagedObjectID])] = []
    /// The objects whose changes are no conflict, whatever others did.
    private(set) var settled: Set<ManagedObjectID> = []
    /// The objects that are not to be deleted after all.
    private(set) var revived: Set<ManagedObjectID> = []
    private var places: [ManagedObjectID: Int] = [:]

    subscript(objectID: ManagedObjectID) -> Edited? { places[objectID].map { edited[$0] } }

    func ordersMembers(of owner: ManagedObject, at slot: Int) -> Bool {
        orders.contains { $0.owner === owner && $0.slot == slot }
    }

    init(of context: ManagedObjectContext) {
        for object in context.inserted.members + context.updated.members {
            places[object.objectID] = edited.count
            edited.append(Edited(object))
            if !object.isFault { addValues(of: object, context) }
            for relationship in object.entity.toManys where !object.toManys.isEmpty {
                addMembers(of: object, relationship, context)
            }
        }
        deleted = context.deleted.members.map(Edited.init)
    }

    private mutating func addValues(of object: ManagedObject, _ context: ManagedObjectContext) {
        let (place, base) = (edited.count - 1, object.snapshot?.row)
        // What is derived follows from the rest.
        for (slot, value) in object.row.attributes.enumerated()
        where base != nil && value != base?.attributes[slot] && !object.entity.attributes[slot].isDerived {
            edited[place].attributes.append((slot, value))
        }
        for relationship in object.entity.toOnes {
            let (now, before) = (object.row.toOnes[relationship.slot], base?.toOnes[relationship.slot])
            guard now != before ?? nil else { continue }
            // What is kept for a change of its own is so whatever became of it since.
            if now == nil, !context.isKept(object.objectID), context.follows(from: before ?? nil, relationship) {
                continue
            }
            edited[place].toOnes.append((relationship.slot, now))
        }
    }

    private mutating func addMembers(
        of object: ManagedObject,
        _ relationship: RelationshipDescription,
        _ context: ManagedObjectContext
    ) {
        let toMany = object.toManys[relationship.slot]
        guard toMany.hasChanges else { return }
        if relationship.isManyToMany {
            func pair(_ member: ManagedObjectID) -> Pair {
                Pair(owner: object.objectID, relationship: relationship, member: member)
            }
            added += toMany.added.map(pair)
            if relationship.isOrdered, toMany.added.count > 1 {
                additions.append((object, relationship.slot, toMany.addedInOrder))
            }
            removed += toMany.removed.filter { !context.follows(from: $0, relationship) }.map(pair)
        } else if relationship.isOrdered, let inverse = relationship.inverse {
            arrivals.append((object, inverse.slot, toMany.addedInOrder))
        }
        if let order = toMany.ownOrder { orders.append((object, relationship.slot, order)) }
    }
}

// MARK: Dropping changes

extension ContextChanges {
    mutating func settle(_ objectID: ManagedObjectID) { settled.insert(objectID) }

    mutating func insertAgain(_ objectID: ManagedObjectID) {
        if let place = places[objectID] { edited[place].isInsertedAgain = true }
    }

    mutating func dropDeletion(of objectID: ManagedObjectID) { revived.insert(objectID) }

    /// Gives up the values and to-one relationships of an object that a closure doesn't want, given their slots.
    mutating func dropValues(
        of objectID: ManagedObjectID,
        attributes: (Int) -> Bool = { _ in true },
        toOnes: (Int) -> Bool = { _ in true }
    ) {
        guard let place = places[objectID] else { return }
        edited[place].attributes.removeAll { attributes($0.slot) }
        for (slot, destination) in edited[place].toOnes where toOnes(slot) {
            edited[place].toOnes.removeAll { $0.slot == slot }
            // One to one, it was a change of both the partner and the one before.
            guard let inverse = edited[place].object.entity.toOnes[slot].inverse, !inverse.isToMany else { continue }
            for partner in [destination, edited[place].base?.row.toOnes[slot]].compactMap({ $0.flatMap { places[$0] } })
            {
                let before = edited[partner].base?.row.toOnes[inverse.slot]
                edited[partner].toOnes.removeAll { change in
                    change.slot == inverse.slot
                        && (change.destination == objectID || change.destination == nil && before == objectID)
                }
            }
        }
    }

    /// Makes all values of a row changes of an object.
    mutating func set(_ row: Row, of objectID: ManagedObjectID) {
        dropValues(of: objectID) { _ in
            true
        } toOnes: { [self] slot in
            self[objectID]?.toOnes.contains { $0.slot == slot && $0.destination != row.toOnes[slot] } ?? false
        }
        guard let place = places[objectID] else { return }
        edited[place].attributes = edited[place].object.entity.attributes.filter { !$0.isDerived }
            .map { ($0.slot, row.attributes[$0.slot]) }
        edited[place].toOnes = row.toOnes.enumerated().map { ($0, $1) }
    }

    /// Gives up all that concerns an object, on both sides of its relationships.
    mutating func drop(_ objectID: ManagedObjectID) {
        dropValues(of: objectID)
        added.removeAll { $0.owner == objectID || $0.member == objectID }
        removed.removeAll { $0.owner == objectID || $0.member == objectID }
        orders.removeAll { $0.owner.objectID == objectID }
        for place in edited.indices {
            let (entity, base) = (edited[place].object.entity, edited[place].base?.row)
            edited[place].toOnes.removeAll { slot, destination in
                entity.toOnes[slot].inverse != nil && (destination == objectID || base?.toOnes[slot] == objectID)
            }
        }
    }
}

extension ManagedObjectContext {
    /// Whether an object that was related to another one isn't any more because of a change of that one: it was deleted, or
    /// went to somebody else.
    func follows(from other: ManagedObjectID?, _ relationship: RelationshipDescription) -> Bool {
        guard let other = other.flatMap({ registered[$0] }), let inverse = relationship.inverse else { return false }
        if other.isDeleted {
            // By a cascade the object itself would be deleted: it had been parted from the other one before.
            let (slot, entity) = (inverse.slot, other.entity)
            return (inverse.isToMany ? entity.toManys[slot] : entity.toOnes[slot]).deleteRule == .nullify
        }
        return !relationship.isToMany && !inverse.isToMany && !other.isFault && other.row.toOnes[inverse.slot] != nil
    }
}
