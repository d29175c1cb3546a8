// SPDX-License-Identifier: Apache-2.0

// Taking changes back on another committed state than that which they were made on.

extension ManagedObjectContext {
    /// Performs the edits of a group. What was as committed before the group is so again, as it is committed now: what others have made
    /// of it since isn't taken back.
    func performAfterMerges(_ group: UndoGroup) {
        let following = followingToOnes(group)
        var led: Set<ToOne> = []
        for inverse in group {
            guard let toOne = toOne(of: inverse.edit), let object = following[toOne] else {
                if let edit = ontoCommitted(inverse) {
                    leaveOwner(edit)
                    perform(edit)
                }
                continue
            }
            // The first edit of either side restores both: an order that follows in the group needs its members.
            if led.insert(toOne).inserted {
                lead(object, object.entity.toOnes[toOne.slot], to: storedDestination(of: object, toOne.slot))
            }
        }
        let known = Set(group.compactMap { toOne(of: $0.edit) })
        // One that comes back without changes may lead where it didn't.
        for case .restore(let object, let status, _) in group.lazy.map(\.edit)
        where status.isDisjoint(with: [.inserted, .updated]) && !object.isInserted && !object.isDeleted
            && !object.isFault
        {
            for relationship in object.entity.toOnes where relationship.inverse != nil {
                let slot = relationship.slot
                guard !known.contains(ToOne(object: object.objectID, slot: slot)) else { continue }
                lead(object, relationship, to: storedDestination(of: object, slot))
            }
        }
    }

    /// Removes an object from the members of an owner that other contexts have given it and the group doesn't know, so that the undo
    /// of this edit restores its place there.
    private func leaveOwner(_ edit: ContextEdit) {
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

    /// The to-one relationships that were as committed before the group, and their objects: what was changed first says so, and is
    /// undone last.
    private func followingToOnes(_ group: UndoGroup) -> [ToOne: ManagedObject] {
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

    /// The to-one relationship that an edit is of, be it by the other side.
    private func toOne(of edit: ContextEdit) -> ToOne? {
        switch edit {
        case .toOne(let object, let slot, _): ToOne(object: current(object.objectID), slot: slot)
        case .addMember(let owner, let slot, let member, at: _), .removeMember(let owner, let slot, let member):
            owner.entity.toManys[slot].inverseToOne.map { ToOne(object: current(member), slot: $0.slot) }
        default: nil
        }
    }

    /// The edit that brings back what is committed now; nil where nothing is to be done for it.
    private func ontoCommitted(_ inverse: Inverse<ManagedObject>) -> ContextEdit? {
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
            // What was added stands behind what is committed, in an order that nobody but this context knows.
            guard !owner.toManys.isEmpty, let order = owner.toManys[slot].impliedOrder(added: order.map(current)) else {
                return nil
            }
            return .order(owner, slot: slot, order)
        default: return edit
        }
    }

    /// Whether an object and a member of it have each other to many, and are both stored.
    private func isPair(_ owner: ManagedObject, _ slot: Int, _ member: ManagedObjectID) -> Bool {
        let member = current(member)
        let isStored = registered[member].map { !$0.isInserted } ?? !member.isTemporary
        return isStored && owner.entity.toManys[slot].inverseToOne == nil
    }

    /// What is committed of an object, if that is what an edit brings back.
    private func stored(_ object: ManagedObject, _ era: Int?) -> Row? {
        era == self.era && !object.isInserted ? storedRow(of: object) : nil
    }

    /// Where an object leads by what is committed; nowhere if the one that is there, one to one, was led elsewhere here.
    private func storedDestination(of object: ManagedObject, _ slot: Int) -> ManagedObjectID? {
        guard let destination = storedRow(of: object)?.toOnes[slot] else { return nil }
        guard let inverse = object.entity.toOnes[slot].inverse, !inverse.isToMany,
            let partner = registered[destination], partner !== object, !partner.isFault, !partner.isDeleted
        else { return destination }
        let (now, stored) = (partner.row.toOnes[inverse.slot], storedRow(of: partner)?.toOnes[inverse.slot])
        return now == stored || now == nil ? destination : nil
    }
}
