// SPDX-License-Identifier: Apache-2.0

// The smallest changes that a context is made of. Each knows what takes it back, which is all that undo needs.

import Predicates

typealias ContextEdit = Edit<ManagedObject>

/// One change of one object. Both sides of a relationship are changed by an edit each.
enum Edit<Object> {
    case attribute(Object, slot: Int, Value)
    case toOne(Object, slot: Int, ManagedObjectID?)
    /// At the end where there is no index.
    case addMember(Object, slot: Int, ManagedObjectID, at: Int?)
    case removeMember(Object, slot: Int, ManagedObjectID)
    case order(Object, slot: Int, [ManagedObjectID])
    case insert(Object)
    case remove(Object)
    case delete(Object)
    /// With the members that the object had lost before it was deleted, by slot.
    case restore(Object, ManagedObject.Status, lost: [[ManagedObjectID]])

    var object: Object {
        switch self {
        case .attribute(let object, _, _), .toOne(let object, _, _), .addMember(let object, _, _, _),
            .removeMember(let object, _, _), .order(let object, _, _), .insert(let object), .remove(let object),
            .delete(let object), .restore(let object, _, _):
            object
        }
    }
}

extension ManagedObjectContext {
    /// Makes a change and marks its object. The objects concerned are no faults where their rows are changed.
    func perform(_ edit: ContextEdit) {
        if !isAwakening { deferredErrors.noteChange() }
        guard let inverse = apply(edit), !isAwakening else { return }
        undoManager?.record(inverse)
        if isResolving { resolution.append(inverse) }
    }

    /// Where members stand that are removed, the order before tells, once for all that is undone together.
    private func keepOrder(of object: ManagedObject, _ slot: Int) {
        guard object.entity.toManys[slot].isOrdered, let members = object.toManys[slot].members else { return }
        let isNew = undoManager?.keepsOrder(of: object, slot) ?? false
        guard isNew || isResolving else { return }
        let order = ContextEdit.order(object, slot: slot, members.members)
        if isNew { undoManager?.record(order) }
        if isResolving { resolution.append(order) }
    }

    /// Makes a change, and says what takes it back; nil where nothing had to be changed.
    private func apply(_ edit: ContextEdit) -> ContextEdit? {
        switch edit {
        case .attribute(let object, _, _) where object.isFault, .toOne(let object, _, _) where object.isFault:
            // Its row is gone; there is nothing to be changed.
            return nil
        case .remove(let object) where object.isGone, .delete(let object) where object.isGone:
            // Others have deleted it.
            return nil
        case .remove(let object) where object.isDeleted:
            // A save has made a change of another object of it, which stays.
            return nil
        case .attribute(let object, let slot, let value):
            let before = object.row.attributes[slot]
            object.row.attributes[slot] = value
            markUpdated(object)
            return .attribute(object, slot: slot, before)
        case .toOne(let object, let slot, let destination):
            let before = object.row.toOnes[slot]
            object.row.toOnes[slot] = destination.map(current).flatMap { isGone($0) ? nil : $0 }
            markUpdated(object)
            return .toOne(object, slot: slot, before)
        case .addMember(let object, let slot, let member, let index):
            object.touchToManys()
            let member = current(member)
            guard object.toManys[slot].contains(member) != true, !isGone(member) else { return nil }
            // Where nobody has seen the order when a member went, it comes back to where the store has it.
            let place = index ?? (isTakingBack ? object.toManys[slot].formerPlace(of: member) : nil)
            object.toManys[slot].add(member, at: place)
            markUpdated(object)
            return .removeMember(object, slot: slot, member)
        case .removeMember(let object, let slot, let member):
            object.touchToManys()
            let member = current(member)
            guard object.toManys[slot].contains(member) != false else { return nil }
            keepOrder(of: object, slot)
            object.toManys[slot].remove(member)
            markUpdated(object)
            return .addMember(object, slot: slot, member, at: nil)
        case .order(let object, let slot, let order):
            object.touchToManys()
            let before = object.toManys[slot].members?.members ?? []
            object.toManys[slot].reorder(order.map(current))
            markUpdated(object)
            return .order(object, slot: slot, before)
        case .insert(let object):
            insert(object)
            return .remove(object)
        case .remove(let object):
            guard object.isInserted else { return delete(object) }
            object.status.subtract([.inserted, .updated])
            registered[object.objectID] = nil
            inserted.remove(object)
            event.remove(object)
            return .insert(object)
        case .delete(let object):
            return delete(object)
        case .restore(let object, let status, let lost):
            guard !isSettled(object) else { return nil }
            restore(object, to: status)
            if hasRebased { rejoin(object, lost: lost) }
            return .delete(object)
        }
    }

    /// Whether an object was deleted by others, or by a save.
    func isGone(_ objectID: ManagedObjectID) -> Bool {
        registered[objectID]?.isGone ?? vanishing.contains(objectID) || departed.contains(objectID)
    }

    /// The ID that an object has now, for one that it had.
    func current(_ objectID: ManagedObjectID) -> ManagedObjectID {
        var objectID = objectID
        while let successor = successors[objectID] { objectID = successor }
        return objectID
    }

    /// The ID that an object has now for those below this context; nil where undo has made another one in its place.
    func lasting(_ objectID: ManagedObjectID) -> ManagedObjectID? {
        var objectID = objectID
        while let successor = successors[objectID] {
            guard !successor.isTemporary else { return nil }
            objectID = successor
        }
        return objectID
    }

    private func insert(_ object: ManagedObject) {
        object.status.insert(.inserted)
        registered[object.objectID] = object
        departed.remove(object.objectID)
        inserted.append(object)
        event.insert(object)
    }

    private func delete(_ object: ManagedObject) -> ContextEdit {
        let (before, lost) = (object.status, object.toManys.map(\.removed.members))
        object.status.subtract([.inserted, .updated])
        object.status.insert(.deleted)
        inserted.remove(object)
        updated.remove(object)
        if !before.contains(.inserted) { deleted.append(object) }
        event.delete(object, wasInserted: before.contains(.inserted))
        return .restore(object, before, lost: lost)
    }

    /// Gives an object that comes back the members that others have given it while it was deleted, of which undo doesn't know.
    private func rejoin(_ object: ManagedObject, lost: [[ManagedObjectID]]) {
        for relationship in object.entity.toManys where relationship.isManyToMany && !object.toManys.isEmpty {
            let slot = relationship.slot
            let before = lost.indices.contains(slot) ? Set(lost[slot].map(current)) : []
            for member in object.toManys[slot].removed.members where !before.contains(member) && !isGone(member) {
                perform(.addMember(object, slot: slot, member, at: nil))
                guard let inverse = relationship.inverse, let other = registered[member], !other.isDeleted else {
                    continue
                }
                perform(.addMember(other, slot: inverse.slot, object.objectID, at: nil))
            }
        }
    }

    /// Whether there is no deletion to be taken back: a merge policy may have done so, and others may have deleted the object.
    private func isSettled(_ object: ManagedObject) -> Bool {
        registered[object.objectID] === object && (!object.isDeleted || object.isGone)
    }

    /// Takes a deletion back. What was deleted by a save meanwhile becomes a new object with the same values.
    private func restore(_ object: ManagedObject, to status: ManagedObject.Status) {
        object.status = status
        if status.contains(.inserted) || deleted.remove(object) {
            registered[object.objectID] = object
            departed.remove(object.objectID)
            if status.contains(.inserted) { inserted.append(object) }
            // What it had lost, others may have taken from it as well.
            if !status.contains(.inserted), !isAsSaved(object) { object.status.insert(.updated) }
            if object.isUpdated { updated.append(object) }
            event.restore(object)
        } else {
            object.snapshot = nil
            object.status.subtract([.updated, .fault])
            insert(object)
        }
    }

    /// Gives objects whose deletion was saved, and is to be taken back, the IDs of new ones, unless they are there still to come back.
    /// Edits before and after that of the object itself refer to them.
    func renew(_ edits: [ContextEdit]) {
        for case .restore(let object, let status, _) in edits
        where !status.contains(.inserted) && !deleted.contains(object) && !isSettled(object) {
            guard !source.isAboutToDelete(object.objectID) else {
                departed.remove(object.objectID)
                continue
            }
            let successor = temporaryID(for: object.entity)
            successors[object.objectID] = successor
            object.objectID = successor
        }
    }

    /// An object that is about to come back is not of the context yet, and no update of it.
    private func markUpdated(_ object: ManagedObject) {
        guard !isAwakening, registered[object.objectID] === object, !object.status.contains(.missing) else {
            return
        }
        event.update(object)
        guard object.status.isDisjoint(with: [.inserted, .updated, .deleted]) else { return }
        object.status.insert(.updated)
        updated.append(object)
    }
}
