// SPDX-License-Identifier: Apache-2.0

// Undo on another committed state than the one that the changes were made on.

extension ManagedObjectContext {
    /// Performs the edits of a group. Values that were committed before the group become what is committed now: changes
    /// that others have saved since aren't reverted.
    func performAfterMerges(_ group: UndoGroup) {
        let following = committedToOnes(group)
        var led: Set<ToOne> = []
        for inverse in group {
            guard let toOne = toOne(of: inverse.edit), let object = following[toOne] else {
                if let edit = adaptedToCommitted(inverse) {
                    unlinkFromOwner(edit)
                    perform(edit)
                }
                continue
            }
            // The first edit of either side restores both: an order later in the group needs its members.
            if led.insert(toOne).inserted {
                link(object, through: object.entity.toOnes[toOne.slot], to: storedDestination(of: object, toOne.slot))
            }
        }
        let known = Set(group.compactMap { toOne(of: $0.edit) })
        // An object restored without changes may refer to other objects than before.
        for case .restore(let object, let status, _) in group.lazy.map(\.edit)
        where status.isDisjoint(with: [.inserted, .updated]) && !object.isInserted && !object.isDeleted
            && !object.isFault
        {
            for relationship in object.entity.toOnes where relationship.inverse != nil {
                let slot = relationship.slot
                guard !known.contains(ToOne(object: object.objectID, slot: slot)) else { continue }
                link(object, through: relationship, to: storedDestination(of: object, slot))
            }
        }
    }

    /// Unlinks an object from an owner that other contexts have given it and the group doesn't know, so that redo
    /// restores its place there.
    private func unlinkFromOwner(_ edit: ContextEdit) {
        guard case .toOne(let object, let slot, let destination) = edit, !object.isFault,
            let inverse = object.entity.toOnes[slot].inverse, inverse.isToMany,
            let owner = object.row.toOnes[slot], owner != destination.map(current)
        else { return }
        perform(.removeMember(self.object(with: owner), slot: inverse.slot, object.objectID))
    }

    private struct ToOne: Hashable {
        let object: ManagedObjectID
        let slot: Int
    }

    /// The to-one relationships that were committed before the group, and their objects. The first change, which is
    /// undone last, determines this.
    private func committedToOnes(_ group: UndoGroup) -> [ToOne: ManagedObject] {
        var following: [ToOne: ManagedObject] = [:]
        for inverse in group {
            guard case .toOne(let object, let slot, _) = inverse.edit, object.entity.toOnes[slot].inverse != nil else {
                continue
            }
            let toOne = ToOne(object: current(object.objectID), slot: slot)
            following[toOne] = stored(object, inverse.era) == nil ? nil : object
        }
        return following
    }

    /// The to-one relationship that an edit changes, from either side.
    private func toOne(of edit: ContextEdit) -> ToOne? {
        switch edit {
        case .toOne(let object, let slot, _): ToOne(object: current(object.objectID), slot: slot)
        case .addMember(let owner, let slot, let member, at: _), .removeMember(let owner, let slot, let member):
            owner.entity.toManys[slot].inverseToOne.map { ToOne(object: current(member), slot: $0.slot) }
        default: nil
        }
    }

    /// The edit that restores what is committed now, or nil if nothing has to change.
    private func adaptedToCommitted(_ inverse: Inverse<ManagedObject>) -> ContextEdit? {
        let edit = inverse.edit
        guard let stored = stored(edit.object, inverse.era) else { return edit }
        switch edit {
        case .attribute(let object, let slot, _): return .attribute(object, slot: slot, stored.attributes[slot])
        case .toOne(let object, let slot, _): return .toOne(object, slot: slot, stored.toOnes[slot])
        case .addMember(let owner, let slot, let member, at: _) where isPair(owner, slot, member):
            return !owner.toManys.isEmpty && owner.toManys[slot].removed.contains(current(member)) ? edit : nil
        case .removeMember(let owner, let slot, let member) where isPair(owner, slot, member):
            return !owner.toManys.isEmpty && owner.toManys[slot].added.contains(current(member)) ? edit : nil
        case .order(let owner, let slot, let order):
            // Added members follow the committed ones, in an order that only this context knows.
            guard !owner.toManys.isEmpty, let order = owner.toManys[slot].impliedOrder(added: order.map(current)) else {
                return nil
            }
            return .order(owner, slot: slot, order)
        default: return edit
        }
    }

    /// Whether an object and its member are both stored, in a relationship without a to-one inverse.
    private func isPair(_ owner: ManagedObject, _ slot: Int, _ member: ManagedObjectID) -> Bool {
        let member = current(member)
        let isStored = registered[member].map { !$0.isInserted } ?? !member.isTemporary
        return isStored && owner.entity.toManys[slot].inverseToOne == nil
    }

    /// The committed row of an object if the edit restores committed values, or nil.
    private func stored(_ object: ManagedObject, _ era: Int?) -> Row? {
        era == self.era && !object.isInserted ? storedRow(of: object) : nil
    }

    /// The committed destination of an object, or nil if a one-to-one partner was linked to another object here.
    private func storedDestination(of object: ManagedObject, _ slot: Int) -> ManagedObjectID? {
        guard let destination = storedRow(of: object)?.toOnes[slot] else { return nil }
        guard let inverse = object.entity.toOnes[slot].inverse, !inverse.isToMany,
            let partner = registered[destination], partner !== object, !partner.isFault, !partner.isDeleted
        else { return destination }
        let now = partner.row.toOnes[inverse.slot]
        let stored = storedRow(of: partner)?.toOnes[inverse.slot]
        return now == stored || now == nil ? destination : nil
    }
}
