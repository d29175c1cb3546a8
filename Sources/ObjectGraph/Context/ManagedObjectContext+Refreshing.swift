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
            if let old = before.toOnes[relationship.slot].flatMap({ registered[$0] }), !old.toManys.isEmpty {
                old.toManys[inverse.slot].adopt(removed: object.objectID)
            }
            if let new = row.toOnes[relationship.slot].flatMap({ registered[$0] }), !new.toManys.isEmpty {
                new.toManys[inverse.slot].adopt(added: object.objectID)
            }
        }
        event.refreshed.append(object)
    }

    /// Gives an object's values and changes up.
    private func turnIntoFault(_ object: ManagedObject) {
        guard !object.isFault else { return }
        object.willTurnIntoFault()
        object.status.subtract([.updated, .deleted])
        object.status.insert(.fault)
        updated.remove(object)
        deleted.remove(object)
        object.row = Row(attributes: [], toOnes: [])
        object.toManys = []
        object.fetchedObjects = [:]
        object.snapshot = nil
        event.refreshed.append(object)
        object.didTurnIntoFault()
    }

    /// Gives up all changes since the last save. Nothing is read anew.
    public func rollback() {
        confinement.check()
        undoManager?.removeAll()
        unpropagated = []
        for object in inserted.members {
            object.status.remove(.inserted)
            registered[object.objectID] = nil
        }
        for object in updated.members + deleted.members { restoreCommitted(object) }
        (inserted, updated, deleted) = (OrderedMembers(), OrderedMembers(), OrderedMembers())
        locked = OrderedMembers()
        event = ContextEvent()
        deferredErrors.endChanges()
    }

    private func restoreCommitted(_ object: ManagedObject) {
        object.status.subtract([.updated, .deleted])
        if let snapshot = object.snapshot, !object.isFault { object.row = snapshot.row }
        for slot in object.toManys.indices { object.toManys[slot].rollback() }
        event.refreshed.append(object)
        object.awake(fromSnapshotEvents: .rollback)
    }

    /// Forgets everything. Objects that somebody still has can't be used any more.
    public func reset() {
        confinement.check()
        undoManager?.removeAll()
        for object in registered.values { object.status.insert(.missing) }
        registered = [:]
        (inserted, updated, deleted) = (OrderedMembers(), OrderedMembers(), OrderedMembers())
        (unpropagated, event, successors, locked) = ([], ContextEvent(), [:], OrderedMembers())
        deferredErrors.endChanges()
        source.advanceQueryGeneration()
    }
}
