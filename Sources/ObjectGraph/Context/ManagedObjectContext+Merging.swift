// SPDX-License-Identifier: Apache-2.0

// Taking in what others have saved. What was changed here stays changed; whether that can be saved shows when it is.

extension ManagedObject {
    /// What an object with changes goes out from after others have changed its row. Where both have changed a property, it
    /// still goes out from the old version, so that the save finds the conflict.
    fileprivate func rebased(on stored: Snapshot) -> Snapshot {
        guard let base = snapshot else { return stored }
        var rebased = stored.row
        var isContested = false
        for slot in rebased.attributes.indices where row.attributes[slot] != base.row.attributes[slot] {
            guard stored.row.attributes[slot] != base.row.attributes[slot] else { continue }
            rebased.attributes[slot] = base.row.attributes[slot]
            isContested = true
        }
        for slot in rebased.toOnes.indices where row.toOnes[slot] != base.row.toOnes[slot] {
            guard stored.row.toOnes[slot] != base.row.toOnes[slot] else { continue }
            rebased.toOnes[slot] = base.row.toOnes[slot]
            isContested = true
        }
        return isContested ? Snapshot(objectID: objectID, version: base.version, row: rebased) : stored
    }
}

extension ManagedObjectContext {
    /// Merges what others have saved since it was done last. Live contexts do so by themselves.
    public func mergeSavedChanges() {
        confinement.check()
        let saved = source.takeSavedChanges()
        if !saved.isEmpty { source.advanceQueryGeneration() }
        for changes in saved { merge(changes) }
    }

    /// Merges one save or batch of somebody else's.
    func merge(_ changes: SavedChanges) {
        for snapshot in changes.inserted { link(snapshot, from: nil) }
        for update in changes.updated { merge(update) }
        for change in changes.members { merge(change) }
        for snapshot in changes.recomputed { adopt(recomputed: snapshot) }
        for snapshot in changes.deleted { mergeDeletion(of: snapshot) }
    }

    private func merge(_ update: SavedChanges.Update) {
        guard let object = registered[update.after.objectID], !object.isFault else {
            registered[update.after.objectID]?.snapshot = nil
            return link(update.after, from: update.before)
        }
        guard let known = object.snapshot?.version, known < update.after.version else { return }
        // A deletion of this context's own stays one; the save finds the conflict.
        if object.isDeleted { return }
        refresh(object, with: object.isUpdated ? object.rebased(on: update.after) : update.after)
    }

    /// Makes the relationships to many follow the to-one side of a row whose object isn't here.
    private func link(_ after: Snapshot, from before: Snapshot?) {
        for relationship in after.objectID.entity.toOnes {
            let (old, new) = (before?.row.toOnes[relationship.slot], after.row.toOnes[relationship.slot])
            guard old != new, let inverse = relationship.inverse, inverse.isToMany else { continue }
            if let old { adopt(removed: after.objectID, at: inverse.slot, of: old) }
            if let new { adopt(added: after.objectID, at: inverse.slot, of: new) }
        }
    }

    private func merge(_ change: StoreSaveRequest.MembersChange) {
        let slot = change.relationship.slot
        for member in change.removed { adopt(removed: member, at: slot, of: change.owner) }
        for member in change.added { adopt(added: member, at: slot, of: change.owner) }
        if let order = change.order, let owner = registered[change.owner], !owner.toManys.isEmpty {
            owner.toManys[slot].adopt(order: order)
        }
        guard change.relationship.isManyToMany, let inverse = change.relationship.inverse else { return }
        for member in change.removed { adopt(removed: change.owner, at: inverse.slot, of: member) }
        for member in change.added { adopt(added: change.owner, at: inverse.slot, of: member) }
    }

    /// An object that others deleted stays readable for who has it, and is found no more.
    private func mergeDeletion(of snapshot: Snapshot) {
        for relationship in snapshot.objectID.entity.toOnes {
            guard let owner = snapshot.row.toOnes[relationship.slot], let inverse = relationship.inverse,
                inverse.isToMany
            else { continue }
            adopt(removed: snapshot.objectID, at: inverse.slot, of: owner)
        }
        guard let object = registered[snapshot.objectID], !object.hasChanges else { return }
        if object.isFault { fill(object, with: snapshot) }
        object.status.insert([.deleted, .missing])
        registered[snapshot.objectID] = nil
        event.delete(object, wasInserted: false)
    }

    private func adopt(added member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], !object.toManys.isEmpty else { return }
        object.toManys[slot].adopt(added: member)
    }

    private func adopt(removed member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], !object.toManys.isEmpty else { return }
        object.toManys[slot].adopt(removed: member)
    }
}
