// SPDX-License-Identifier: Apache-2.0

// A context's pending changes as values. Merges and conflict resolution apply the same changes to another committed
// state.

import ObjectModel
import Predicates

/// The pending changes of a context as values, independent of its objects.
///
/// 1. Removing changes from the objects and applying them again, with nothing in between, leaves the context as it was.
/// 2. In between, each object is as the store is known to have it; new objects exist too, without relationships.
/// 3. A consequence is not a change: neither what a deletion caused, nor the loss of a one-to-one partner to another
///    object.
/// 4. A change that refers to a deleted object is dropped, and so is one that the store has as well.
/// 5. If `mergesKeepBase` is set and others have changed the same value, an object's `snapshot` keeps the value and the
///    version that its own change is based on, so that the save finds the conflict; the stored row is in `newer`.
///    Otherwise the base moves, and `contested` has the former values.
struct ContextChanges {
    /// The changes of an object, and its state with them.
    struct Edited {
        let object: ManagedObject
        let state: ManagedObject.State
        var attributes: [(slot: Int, value: Value)] = []
        var toOnes: [(slot: Int, destination: ManagedObjectID?)] = []
        /// Whether the object is inserted again if others have deleted it.
        var isInsertedAgain = false

        init(_ object: ManagedObject) {
            self.object = object
            state = object.state
        }

        /// The row that the changes are based on.
        var base: Snapshot? { state.snapshot }

        /// The attributes that differ from the base. Derived values follow from the others.
        fileprivate var changedAttributes: [(slot: Int, value: Value)] {
            guard let base = base?.row else { return [] }
            return state.row.attributes.enumerated().filter { slot, value in
                value != base.attributes[slot] && !object.entity.attributes[slot].isDerived
            }.map { ($0, $1) }
        }
    }

    /// A pair of objects in a many-to-many relationship or in one without an inverse.
    struct Pair: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
        let member: ManagedObjectID
    }

    /// Inserted objects, then updated ones.
    private(set) var edited: [Edited] = []
    private(set) var deleted: [Edited] = []
    var added: [Pair] = []
    var removed: [Pair] = []
    /// New members of ordered relationships with a to-one inverse, in order.
    private(set) var arrivals: [(owner: ManagedObject, inverse: Int, members: [ManagedObjectID])] = []
    /// New members of ordered many-to-many relationships, in order.
    private(set) var additions: [(owner: ManagedObject, slot: Int, members: [ManagedObjectID])] = []
    private(set) var orders: [(owner: ManagedObject, slot: Int, order: [ManagedObjectID])] = []
    /// The objects whose changes are never a conflict.
    private(set) var resolved: Set<ManagedObjectID> = []
    /// The objects whose deletion is dropped.
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
        for object in context.deleted.members {
            deleted.append(Edited(object))
            // Members that no delete rule unlinks are restored by undo as they were.
            for relationship in object.entity.toManys where relationship.inverse == nil && !object.toManys.isEmpty {
                addMembers(of: object, relationship, context)
            }
        }
    }

    private mutating func addValues(of object: ManagedObject, _ context: ManagedObjectContext) {
        let place = edited.count - 1
        let base = object.snapshot?.row
        edited[place].attributes = edited[place].changedAttributes
        for relationship in object.entity.toOnes {
            let now = object.row.toOnes[relationship.slot]
            let before = base?.toOnes[relationship.slot]
            guard now != before ?? nil else { continue }
            // An object that others have deleted keeps its own change, whatever its former destination became.
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
    mutating func resolve(_ objectID: ManagedObjectID) { resolved.insert(objectID) }

    mutating func insertAgain(_ objectID: ManagedObjectID) {
        if let place = places[objectID] { edited[place].isInsertedAgain = true }
    }

    /// Drops the deletion of an object, and the changes that were made to it before.
    mutating func dropDeletion(of objectID: ManagedObjectID) {
        revived.insert(objectID)
        added.removeAll { $0.owner == objectID }
        removed.removeAll { $0.owner == objectID }
        additions.removeAll { $0.owner.objectID == objectID }
        orders.removeAll { $0.owner.objectID == objectID }
    }

    /// Drops the deletions that a delete rule has caused, of objects that others have moved away from the deleted ones.
    /// Their attributes stay changed.
    mutating func dropOutdatedConsequences() {
        let all = Set(deleted.map(\.object.objectID))
        var count = -1
        while count != revived.count {
            count = revived.count
            let remaining = all.subtracting(revived)
            for var moved in deleted where moved.isOutdatedConsequence(ofAny: all, remaining: remaining) {
                guard revived.insert(moved.object.objectID).inserted else { continue }
                moved.attributes = moved.changedAttributes
                places[moved.object.objectID] = edited.count
                edited.append(moved)
            }
        }
    }

    /// Drops the values and to-one relationships of an object whose slots satisfy the closures.
    mutating func dropValues(
        of objectID: ManagedObjectID,
        attributes: (Int) -> Bool = { _ in true },
        toOnes: (Int) -> Bool = { _ in true }
    ) {
        guard let place = places[objectID] else { return }
        edited[place].attributes.removeAll { attributes($0.slot) }
        for (slot, destination) in edited[place].toOnes where toOnes(slot) {
            edited[place].toOnes.removeAll { $0.slot == slot }
            // A one-to-one change also changed the new partner and the former one.
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

    /// Drops all changes of an object, on both sides of its relationships.
    mutating func drop(_ objectID: ManagedObjectID) {
        dropValues(of: objectID)
        added.removeAll { $0.owner == objectID || $0.member == objectID }
        removed.removeAll { $0.owner == objectID || $0.member == objectID }
        orders.removeAll { $0.owner.objectID == objectID }
        for place in edited.indices {
            let entity = edited[place].object.entity
            let base = edited[place].base?.row
            edited[place].toOnes.removeAll { slot, destination in
                entity.toOnes[slot].inverse != nil && (destination == objectID || base?.toOnes[slot] == objectID)
            }
        }
    }
}

extension ContextChanges.Edited {
    /// Whether a delete rule has deleted the object because it referred to a deleted object, and it refers to none of the
    /// remaining ones.
    fileprivate func isOutdatedConsequence(
        ofAny deleted: Set<ManagedObjectID>,
        remaining: Set<ManagedObjectID>
    ) -> Bool {
        guard object.status.contains(.consequence), !object.isGone, let before = base?.row,
            let now = object.snapshot?.row
        else { return false }
        func isOwned(_ row: Row, by owners: Set<ManagedObjectID>) -> Bool {
            object.entity.toOnes.contains { relationship in
                guard let owner = row.toOnes[relationship.slot], owners.contains(owner),
                    let inverse = relationship.inverse
                else { return false }
                return owner.entity.relationship(named: inverse.name)?.deleteRule == .cascade
            }
        }
        return isOwned(before, by: deleted) && !isOwned(now, by: remaining)
    }
}

extension ManagedObjectContext {
    /// Whether an object lost its reference to another one because of that one's change: it was deleted, or was linked
    /// to another object.
    func follows(from other: ManagedObjectID?, _ relationship: RelationshipDescription) -> Bool {
        guard let other = other.flatMap({ registered[$0] }), let inverse = relationship.inverse else { return false }
        if other.isDeleted {
            // A cascade would have deleted the object itself, so it was unlinked before.
            let slot = inverse.slot
            let entity = other.entity
            return (inverse.isToMany ? entity.toManys[slot] : entity.toOnes[slot]).deleteRule == .nullify
        }
        return !relationship.isToMany && !inverse.isToMany && !other.isFault && other.row.toOnes[inverse.slot] != nil
    }
}
