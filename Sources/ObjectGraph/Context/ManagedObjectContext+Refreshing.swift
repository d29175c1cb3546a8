// SPDX-License-Identifier: Apache-2.0

// Giving up what is in memory: of one object, of all changes, of everything.

extension ManagedObjectContext {
    /// Reads an object's values anew, when they are asked for next. Its changes are kept if they are to be merged, else they
    /// are given up, those of relationships on both sides. An object that was inserted or deleted stays as it is.
    public func refresh(_ object: ManagedObject, mergingChanges: Bool) throws(GraphError) {
        confinement.check()
        guard !object.isInserted, !object.isDeleted, !object.objectID.isTemporary else { return }
        if mergingChanges {
            guard let snapshot = try source.snapshots(of: [object.objectID], staleness: stalenessInterval)[0] else {
                return
            }
            newer[object.objectID] = nil
            refresh(object, with: snapshot)
        } else {
            let kept = try revertRelationships(of: object)
            turnIntoFault(object)
            if !kept.isEmpty { try fire(object) }
            for edit in kept { perform(edit) }
        }
    }

    /// Gives the changes of an object's relationships up, on both sides. What the deletion of others did to it stays, and is
    /// returned.
    private func revertRelationships(of object: ManagedObject) throws(GraphError) -> [ContextEdit] {
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        var kept: [ContextEdit] = []
        for relationship in object.entity.toManys {
            let toMany = object.toMany(relationship)
            for member in toMany.added.members.map({ self.object(with: $0) }) {
                try object.remove(member, from: relationship)
                settle(member)
            }
            for member in toMany.removed.members.map({ self.object(with: $0) }) {
                if member.isDeleted {
                    kept.append(.removeMember(object, slot: relationship.slot, member.objectID))
                } else {
                    try object.add(member, to: relationship)
                    settle(member)
                }
            }
        }
        guard !object.isFault, let committed = object.snapshot?.row else { return kept }
        for relationship in object.entity.toOnes {
            let (now, before) = (object.row.toOnes[relationship.slot], committed.toOnes[relationship.slot])
            guard now != before else { continue }
            let (present, former) = (now.map { self.object(with: $0) }, before.map { self.object(with: $0) })
            if former?.isDeleted == true {
                kept.append(.toOne(object, slot: relationship.slot, nil))
            } else {
                try object.setObject(former, of: relationship)
            }
            for other in [present, former].compactMap(\.self) { settle(other) }
        }
        return kept
    }

    /// Puts a newer committed state under an object; what was changed of it stays changed.
    func refresh(_ object: ManagedObject, with snapshot: Snapshot) {
        guard !object.isFault, let base = object.snapshot?.row else {
            object.snapshot = snapshot
            return
        }
        adopt(snapshot, with: object.row.merged(over: snapshot.row, base: base), in: object)
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Gives an object a newer committed state and other values. They are no changes of this context, and the other sides of
    /// its relationships follow as far as they are loaded.
    func adopt(_ snapshot: Snapshot, with row: Row, in object: ManagedObject) {
        let before = object.row
        object.row = row
        for attribute in object.entity.attributes where attribute.isTransient {
            object.row.attributes[attribute.slot] = before.attributes[attribute.slot]
        }
        object.snapshot = snapshot
        object.fetchedObjects = [:]
        for relationship in object.entity.toOnes where before.toOnes[relationship.slot] != row.toOnes[relationship.slot]
        {
            guard let inverse = relationship.inverse, inverse.isToMany else { continue }
            if let old = before.toOnes[relationship.slot] {
                adopt(removed: object.objectID, at: inverse.slot, of: old)
            }
            if let new = row.toOnes[relationship.slot] { adopt(added: object.objectID, at: inverse.slot, of: new) }
        }
        event.refresh(object)
    }

    /// Gives an object's values and changes up.
    private func turnIntoFault(_ object: ManagedObject) {
        guard !object.isFault, !object.isGone else { return }
        object.willTurnIntoFault()
        if object.isDeleted { event.restore(object) }
        updated.remove(object)
        deleted.remove(object)
        newer[object.objectID] = nil
        empty(object)
        event.refresh(object)
        object.didTurnIntoFault()
    }

    /// Makes a fault of an object about which nothing is known any more.
    func empty(_ object: ManagedObject) {
        object.status = .fault
        object.row = Row(attributes: [], toOnes: [])
        object.toManys = []
        object.fetchedObjects = [:]
        object.snapshot = nil
    }

    /// Gives up all changes since the last save. Nothing is read anew.
    public func rollback() {
        confinement.check()
        undoManager?.removeAll()
        unpropagated = []
        for object in inserted.members {
            object.status.remove(.inserted)
            registered[object.objectID] = nil
            event.delete(object, wasInserted: false)
        }
        for object in deleted.members { event.restore(object) }
        let changed = updated.members + deleted.members
        (inserted, updated, deleted) = (OrderedMembers(), OrderedMembers(), OrderedMembers())
        locked = OrderedMembers()
        deferredErrors.endChanges()
        let before = changed.map(\.row)
        for object in changed { restoreCommitted(object) }
        for (object, before) in zip(changed, before) where !object.isFault {
            link(object.objectID, object.row, from: [before])
        }
        catchUp()
    }

    /// Counts objects as unchanged that were set back to what they were before others changed them.
    func settleOvertaken() {
        guard !newer.isEmpty else { return }
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        for (objectID, stored) in newer {
            guard let object = registered[objectID] else { continue }
            settle(object)
            if let stored, object.isUpdated, object.isOvertaken(by: stored) { rebase(object, on: stored) }
        }
        catchUp()
    }

    /// Gives objects that have no changes any more what others have saved while they had some.
    func catchUp() {
        var gone: Set<ManagedObjectID> = []
        var overtaken: [(object: ManagedObject, before: Row)] = []
        for (objectID, stored) in newer {
            guard let object = registered[objectID], !object.hasChanges else { continue }
            newer[objectID] = nil
            if let stored {
                if !object.isFault { overtaken.append((object, object.row)) }
                rebase(object, on: stored)
            } else {
                vanish(object)
                gone.insert(objectID)
            }
        }
        for (object, before) in overtaken {
            pairUp(object, before: before)
            forgetOrder(of: object, before: before)
        }
        if !gone.isEmpty { unlink(gone) }
    }

    /// Gives an object that has no changes any more what others have saved while it had some.
    func catchUp(_ object: ManagedObject) {
        guard !object.isDeleted, case .some(.some(let stored)) = newer[object.objectID] else { return }
        let before = object.isFault ? nil : object.row
        rebase(object, on: stored)
        guard let before else { return }
        pairUp(object, before: before)
        forgetOrder(of: object, before: before)
    }

    /// Where others have put an object among the members of an ordered relationship is read anew.
    func forgetOrder(of object: ManagedObject, before: Row) {
        for relationship in object.entity.toOnes {
            guard let inverse = relationship.inverse, inverse.isOrdered,
                let owner = object.row.toOnes[relationship.slot],
                let owner = registered[owner], !owner.toManys.isEmpty, !owner.toManys[inverse.slot].hasChanges,
                owner.objectID != before.toOnes[relationship.slot]
            else { continue }
            owner.toManys[inverse.slot] = .fault(owner.entity.toManys[inverse.slot])
        }
    }

    /// Makes partners, one to one, follow an object's row that others have changed.
    func pairUp(_ object: ManagedObject, before: Row) {
        for relationship in object.entity.toOnes
        where before.toOnes[relationship.slot] != object.row.toOnes[relationship.slot] {
            guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
            if let former = before.toOnes[relationship.slot].flatMap({ registered[$0] }), !former.isFault,
                former.row.toOnes[inverse.slot] == object.objectID
            {
                perform(.toOne(former, slot: inverse.slot, nil))
                settle(former)
            }
            guard let partner = object.row.toOnes[relationship.slot].flatMap({ registered[$0] }), !partner.isFault,
                partner.row.toOnes[inverse.slot] != object.objectID
            else { continue }
            if let jilted = partner.row.toOnes[inverse.slot].flatMap({ registered[$0] }), !jilted.isFault,
                jilted.row.toOnes[relationship.slot] == partner.objectID
            {
                perform(.toOne(jilted, slot: relationship.slot, nil))
                settle(jilted)
            }
            perform(.toOne(partner, slot: inverse.slot, object.objectID))
            if partner.isDeleted, partner.hasChanges { unpropagated.append(partner) }
            settle(partner)
        }
    }

    private func restoreCommitted(_ object: ManagedObject) {
        object.status.subtract([.updated, .deleted])
        if let snapshot = object.snapshot, !object.isFault { object.row = snapshot.row }
        for slot in object.toManys.indices { object.toManys[slot].rollback() }
        event.refresh(object)
        object.awake(fromSnapshotEvents: .rollback)
    }

    /// Forgets everything. Objects that somebody still has can't be used any more.
    public func reset() {
        confinement.check()
        undoManager?.removeAll()
        for object in registered.values { object.status.insert(.missing) }
        registered = [:]
        (inserted, updated, deleted) = (OrderedMembers(), OrderedMembers(), OrderedMembers())
        (unpropagated, event, successors, newer) = ([], ContextEvent(), [:], [:])
        locked = OrderedMembers()
        event.invalidatesAll = true
        deferredErrors.endChanges()
        source.advanceQueryGeneration()
    }
}
