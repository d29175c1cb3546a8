// SPDX-License-Identifier: Apache-2.0

// The smallest changes of a context. Each has an inverse, which is all that undo needs.

import Predicates

typealias ContextEdit = Edit<ManagedObject>

/// A change of one object. Each side of a relationship is changed by an edit of its own.
enum Edit<Object> {
    case attribute(Object, slot: Int, Value)
    case toOne(Object, slot: Int, ManagedObjectID?)
    /// Appends without an index.
    case addMember(Object, slot: Int, ManagedObjectID, at: Int?)
    case removeMember(Object, slot: Int, ManagedObjectID)
    case order(Object, slot: Int, [ManagedObjectID])
    /// Marks the property at a place of a new object as set or not.
    case assign(Object, place: Int, Bool)
    case insert(Object)
    case remove(Object)
    case delete(Object)
    /// With the members that the object had lost before its deletion, by slot.
    case restore(Object, ManagedObject.Status, lost: [[ManagedObjectID]])

    var object: Object {
        switch self {
        case .attribute(let object, _, _), .toOne(let object, _, _), .addMember(let object, _, _, _),
            .removeMember(let object, _, _), .order(let object, _, _), .assign(let object, _, _), .insert(let object),
            .remove(let object), .delete(let object), .restore(let object, _, _):
            object
        }
    }
}

/// The edit that reverts another one, as undo keeps it.
struct Inverse<Object> {
    let edit: Edit<Object>
    /// The context's era if the edit restores a committed value. In that era, undo restores the value that is committed
    /// at the time of the undo.
    let era: Int?
}

extension ContextEdit {
    /// The object that the edit restores after deletion, or nil.
    var restored: ManagedObject? {
        if case .restore(let object, _, _) = self { object } else { nil }
    }

    /// The same edit of another object, or nil if that has no such property.
    func redirected(to other: ManagedObject) -> ContextEdit? {
        guard object.entity == other.entity else { return nil }
        return switch self {
        case .attribute(_, let slot, let value): .attribute(other, slot: slot, value)
        case .toOne(_, let slot, let destination): .toOne(other, slot: slot, destination)
        case .addMember(_, let slot, let member, let index): .addMember(other, slot: slot, member, at: index)
        case .removeMember(_, let slot, let member): .removeMember(other, slot: slot, member)
        case .order(_, let slot, let members): .order(other, slot: slot, members)
        case .assign(_, let place, let isAssigned): .assign(other, place: place, isAssigned)
        case .insert, .remove, .delete, .restore: nil
        }
    }
}

extension ManagedObjectContext {
    /// Applies an edit and marks its object. Objects whose rows are changed must not be faults.
    func perform(_ edit: ContextEdit) {
        if !isAwakening { deferredErrors.recordChange() }
        let era = undoManager != nil && changesCommitted(edit) ? era : nil
        guard let inverse = apply(edit), !isAwakening else { return }
        undoManager?.record(Inverse(edit: inverse, era: era))
        deletionReplay?.record(Inverse(edit: inverse, era: era))
    }

    /// Whether the value that an edit is about to change is committed: the base, or what others have saved since.
    private func changesCommitted(_ edit: ContextEdit) -> Bool {
        func isCommitted(_ object: ManagedObject, _ matches: (Row) -> Bool) -> Bool {
            guard !object.isFault, let base = object.snapshot?.row else { return false }
            return matches(base) || !pending.newer.isEmpty && storedRow(of: object).map(matches) ?? false
        }
        switch edit {
        case .attribute(let object, let slot, _):
            return isCommitted(object) { $0.attributes[slot] == object.row.attributes[slot] }
        case .toOne(let object, let slot, _): return isCommitted(object) { $0.toOnes[slot] == object.row.toOnes[slot] }
        case .addMember(let owner, let slot, let member, at: _):
            return owner.toManys.isEmpty || !owner.toManys[slot].removed.contains(current(member))
        case .removeMember(let owner, let slot, let member):
            return owner.toManys.isEmpty || !owner.toManys[slot].added.contains(current(member))
        case .order(let owner, let slot, _): return owner.toManys.isEmpty || owner.toManys[slot].ownOrder == nil
        case .assign, .insert, .remove, .delete, .restore: return false
        }
    }

    /// Marks a property of an object as set if no store has the object yet. Undo and redo have edits of their own for
    /// this.
    func assign(_ object: ManagedObject, place: Int) {
        guard isNew(object), !isReverting, !isAwakening, object.assigned.set(place, to: true) else { return }
        undoManager?.record(Inverse(edit: .assign(object, place: place, false), era: nil))
    }

    /// Whether no store has the object yet; it may be a parent's.
    private func isNew(_ object: ManagedObject) -> Bool { object.isInserted || object.objectID.isTemporary }

    /// Records the order before members are removed, once per undo group, so that undo restores their places.
    private func keepOrder(of object: ManagedObject, _ slot: Int) {
        guard object.entity.toManys[slot].isOrdered, let members = object.toManys[slot].members,
            undoManager?.keepsOrder(of: object, slot) == true
        else { return }
        let order = ContextEdit.order(object, slot: slot, members.members)
        undoManager?.record(Inverse(edit: order, era: changesCommitted(order) ? era : nil))
    }

    /// Applies an edit and returns its inverse, or nil if nothing changed.
    private func apply(_ edit: ContextEdit) -> ContextEdit? {
        switch edit {
        case .attribute(let object, _, _) where object.isFault, .toOne(let object, _, _) where object.isFault:
            // Its row is gone, so there is nothing to change.
            return nil
        case .remove(let object) where cannotBeDeleted(object), .delete(let object) where cannotBeDeleted(object):
            // Others have deleted it.
            return nil
        case .remove(let object) where object.isDeleted:
            // A save has turned it into changes of another object, which stays.
            return nil
        case .attribute(let object, let slot, let value):
            let before = object.row.attributes[slot]
            assign(object, place: slot)
            object.row.attributes[slot] = value
            markUpdated(object)
            return .attribute(object, slot: slot, before)
        case .toOne(let object, let slot, let destination):
            let before = object.row.toOnes[slot]
            assign(object, place: object.entity.attributes.count + slot)
            object.row.toOnes[slot] = destination.map(current).flatMap { isGone($0) ? nil : $0 }
            markUpdated(object)
            return .toOne(object, slot: slot, before)
        case .addMember(let object, let slot, let member, let index):
            object.touchToManys()
            let member = current(member)
            guard object.toManys[slot].contains(member) != true, !isGone(member) else { return nil }
            // If the order wasn't loaded when a member was removed, it returns to its place in the store.
            let place = index ?? (isReverting ? object.toManys[slot].formerPlace(of: member) : nil)
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
        case .assign(let object, let place, let isAssigned):
            // Stored objects don't track assigned properties.
            guard isNew(object), object.assigned.set(place, to: isAssigned) else { return nil }
            return .assign(object, place: place, !isAssigned)
        case .insert(let object):
            markInserted(object)
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
            guard !isResolved(object) else { return nil }
            restore(object, to: status)
            if hasRebased { restoreLostMembers(object, lost: lost) }
            return .delete(object)
        }
    }

    /// Whether an object can't be deleted because it is gone.
    private func cannotBeDeleted(_ object: ManagedObject) -> Bool {
        object.status.contains(.missing) || !object.isInserted && registered[object.objectID] !== object
    }

    /// The row of an object as the store is known to have it; for one that others have deleted, the row that its changes
    /// are based on.
    func storedRow(of object: ManagedObject) -> Row? {
        ((pending.newer[object.objectID] ?? nil) ?? object.snapshot)?.row
    }

    /// Whether an object was deleted by others, or by a save.
    func isGone(_ objectID: ManagedObjectID) -> Bool {
        if let object = registered[objectID] { return object.isGone }
        return deletionsBeingMerged.contains(objectID) || pending.savedDeletions.contains(objectID)
            || deletedRangesBeingMerged?.contains(objectID) ?? false
    }

    /// The ID that an object has now, given a former one.
    func current(_ objectID: ManagedObjectID) -> ManagedObjectID {
        var objectID = objectID
        while let successor = pending.successors[objectID] { objectID = successor }
        return objectID
    }

    /// The ID that an object has now for child contexts, or nil if undo has recreated it as another object.
    func idForChildren(of objectID: ManagedObjectID) -> ManagedObjectID? {
        var objectID = objectID
        while let successor = pending.successors[objectID] {
            guard !successor.isTemporary else { return nil }
            objectID = successor
        }
        return objectID
    }

    private func markInserted(_ object: ManagedObject) {
        object.status.insert(.inserted)
        registered[object.objectID] = object
        pending.savedDeletions.remove(object.objectID)
        inserted.append(object)
        event.insert(object)
    }

    private func delete(_ object: ManagedObject) -> ContextEdit {
        let before = object.status
        let lost = object.toManys.map(\.removed.members)
        object.status.subtract([.inserted, .updated])
        object.status.insert(.deleted)
        if before.contains(.inserted) { inserted.remove(object) }
        if before.contains(.updated) { updated.remove(object) }
        if !before.contains(.inserted) { deleted.append(object) }
        event.delete(object, wasInserted: before.contains(.inserted))
        return .restore(object, before, lost: lost)
    }

    /// Gives a restored object the members that others linked to it while it was deleted; undo doesn't know these.
    private func restoreLostMembers(_ object: ManagedObject, lost: [[ManagedObjectID]]) {
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

    /// Whether no deletion is left to revert: a merge policy has reverted it, or others have deleted the object too.
    private func isResolved(_ object: ManagedObject) -> Bool {
        registered[object.objectID] === object && (!object.isDeleted || object.isGone)
    }

    /// Reverts a deletion. An object whose deletion was saved becomes a new object with the same values.
    private func restore(_ object: ManagedObject, to status: ManagedObject.Status) {
        object.status = status.union(object.status.intersection(.consequence))
        if status.contains(.inserted) || deleted.remove(object) {
            registered[object.objectID] = object
            pending.savedDeletions.remove(object.objectID)
            if status.contains(.inserted) { inserted.append(object) }
            // Others may have removed the same members that it had lost.
            if !status.contains(.inserted), !isAsSaved(object) { object.status.insert(.updated) }
            if object.isUpdated { updated.append(object) }
            event.restore(object)
        } else {
            object.snapshot = nil
            object.status.subtract([.updated, .fault])
            // No delete rule has unlinked what it refers to by No Action: itself, or others that are restored.
            object.row.toOnes = object.row.toOnes.map { $0.map(current) }
            for slot in object.toManys.indices { object.toManys[slot].rename(using: current) }
            // It keeps its values, whatever the defaults are.
            object.assigned = .all(of: object.entity)
            markInserted(object)
        }
    }

    /// Gives new IDs to the objects whose saved deletion is about to be reverted, unless the rows exist again. The
    /// edits around it refer to these objects.
    func assignNewIDs(for edits: [ContextEdit]) {
        for case .restore(let object, let status, _) in edits
        where !status.contains(.inserted) && !deleted.contains(object) && !isResolved(object) {
            guard !source.isAboutToDelete(object.objectID) else {
                pending.savedDeletions.remove(object.objectID)
                continue
            }
            let successor = temporaryID(for: object.entity)
            pending.successors[object.objectID] = successor
            object.objectID = successor
        }
    }

    /// An object that is about to be restored isn't in the context yet, so it can't be updated.
    func markUpdated(_ object: ManagedObject) {
        guard !isAwakening, registered[object.objectID] === object, !object.status.contains(.missing) else {
            return
        }
        event.update(object)
        guard object.status.isDisjoint(with: [.inserted, .updated, .deleted]) else { return }
        object.status.insert(.updated)
        updated.append(object)
    }
}
