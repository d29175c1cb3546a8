// SPDX-License-Identifier: Apache-2.0

// Taking in what others have saved. What was changed here stays changed; whether that can be saved shows when it is.

import Predicates

extension ManagedObjectContext {
    /// Merges what others have saved since it was done last, and tells observers of it. Live contexts do so by themselves.
    public func mergeSavedChanges() throws(GraphError) {
        confinement.check()
        var waiting = source.takeSavedChanges()[...]
        guard !waiting.isEmpty else { return }
        source.advanceQueryGeneration()
        try processPendingChanges()
        while let changes = waiting.first {
            do {
                try merge(changes)
            } catch {
                source.putBack(Array(waiting))
                throw error
            }
            waiting.removeFirst()
        }
        try processPendingChanges()
    }

    /// Merges one save or batch of somebody else's. Whatever has to be read for it is read before anything is changed.
    func merge(_ changes: SavedChanges) throws(GraphError) {
        let reading = try reading(for: changes)
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        for snapshot in changes.inserted { mergeInsertion(of: snapshot) }
        for objectID in changes.insertedIDs { mergeInsertion(of: objectID) }
        for update in changes.updated { merge(update) }
        for objectID in changes.updatedIDs { mergeUpdate(of: objectID, reading.rows) }
        for change in changes.members { merge(change) }
        for snapshot in changes.recomputed { adopt(recomputed: snapshot) }
        for (object, slot, members) in reading.members { object.toManys[slot].reload(members) }
        mergeDeletions(changes.deleted.map { ($0.objectID, $0) } + reading.goneIDs.map { ($0, nil) })
        try pairUp()
        try propagateDeletions()
        for object in updated.members { settle(object) }
        catchUp()
    }

    private func mergeInsertion(of snapshot: Snapshot) {
        if let object = registered[snapshot.objectID], object.isUpdated { rebase(object, on: snapshot) }
        guard let object = mergeInsertion(of: snapshot.objectID) else {
            return link(snapshot.objectID, snapshot.row, from: [])
        }
        if object.isFault { object.snapshot = snapshot }
        link(snapshot.objectID, object.isFault ? snapshot.row : object.row, from: [snapshot.row])
    }

    /// Makes the object, where there is somebody to be told of it; one that was gone comes back.
    @discardableResult
    private func mergeInsertion(of objectID: ManagedObjectID) -> ManagedObject? {
        guard let object = registered[objectID] ?? observed(objectID), !object.hasChanges else { return nil }
        if object.status.contains(.missing) { empty(object) }
        event.insert(object)
        return object
    }

    /// A new fault, if there is somebody to be told of it.
    private func observed(_ objectID: ManagedObjectID) -> ManagedObject? {
        observers.isEmpty ? nil : register(objectID, status: .fault)
    }

    private func merge(_ update: SavedChanges.Update) {
        let (before, after) = (update.before.row, update.after.row)
        guard let object = registered[update.after.objectID] ?? observed(update.after.objectID) else {
            return link(update.after.objectID, after, from: [before])
        }
        if object.isDeleted {
            // A deletion of this context's own stays one; the save finds the conflict.
            if object.hasChanges { newer[object.objectID] = .some(update.after) }
            return
        }
        if !object.isFault {
            // A row that was inserted again counts its versions anew.
            let known = newer[object.objectID].flatMap(\.self) ?? object.snapshot
            guard let known, known.version < update.after.version else {
                return link(object.objectID, object.row, from: [before, after])
            }
            rebase(object, on: update.after)
            return link(object.objectID, object.row, from: [before, after])
        }
        if object.snapshot.map({ $0.version < update.after.version }) ?? true { object.snapshot = update.after }
        object.status.remove(.missing)
        event.refresh(object)
        link(object.objectID, object.snapshot?.row ?? after, from: [before, after])
    }

    /// Merges a change of which only the name is known: what has no changes is read when it is asked for.
    private func mergeUpdate(of objectID: ManagedObjectID, _ rows: [ManagedObjectID: Snapshot]) {
        guard let object = registered[objectID] ?? observed(objectID) else { return }
        if object.isDeleted {
            if object.hasChanges, let row = rows[objectID] { newer[objectID] = .some(row) }
        } else if object.hasChanges {
            if let row = rows[objectID] { rebase(object, on: row) }
        } else {
            if !object.isFault { object.willTurnIntoFault() }
            empty(object)
            event.refresh(object)
        }
    }

    /// Puts what others have saved under an object that may have changes.
    func rebase(_ object: ManagedObject, on stored: Snapshot) {
        newer[object.objectID] = nil
        guard object.isUpdated, !object.isFault else { return refresh(object, with: stored) }
        let base = object.rebased(on: stored)
        refresh(object, with: base)
        if base !== stored { newer[object.objectID] = .some(stored) }
    }

    /// Makes the relationships to many follow the to-one side, which leads to where the row says, and not to where others do.
    func link(_ objectID: ManagedObjectID, _ row: Row, from others: [Row]) {
        for relationship in objectID.entity.toOnes {
            guard let inverse = relationship.inverse else { continue }
            let owner = row.toOnes[relationship.slot]
            guard inverse.isToMany else {
                if let owner { adopt(partner: objectID, at: inverse.slot, of: owner) }
                continue
            }
            for former in others.map({ $0.toOnes[relationship.slot] }) where former != owner {
                if let former { adopt(removed: objectID, at: inverse.slot, of: former) }
            }
            if let owner, !isEdited(objectID, relationship) { adopt(added: objectID, at: inverse.slot, of: owner) }
        }
    }

    /// Whether this context has led a to-one relationship elsewhere than the store.
    private func isEdited(_ objectID: ManagedObjectID, _ relationship: RelationshipDescription) -> Bool {
        guard let object = registered[objectID], object.hasChanges, !object.isFault else { return false }
        return object.isEdited(relationship)
    }

    private func merge(_ change: StoreSaveRequest.MembersChange) {
        let slot = change.relationship.slot
        if change.relationship.isManyToMany {
            for objectID in [change.owner] + change.added + change.removed {
                if let object = registered[objectID] ?? observed(objectID) { event.refresh(object) }
            }
            for member in change.removed { adopt(removed: member, at: slot, of: change.owner) }
            for member in change.added { adopt(added: member, at: slot, of: change.owner) }
            if let inverse = change.relationship.inverse {
                for member in change.removed { adopt(removed: change.owner, at: inverse.slot, of: member) }
                for member in change.added { adopt(added: change.owner, at: inverse.slot, of: member) }
            }
        }
        guard let order = change.order, let owner = registered[change.owner], !owner.toManys.isEmpty else { return }
        owner.toManys[slot].adopt(order: order)
        event.refresh(owner)
    }

    func adopt(added member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], !object.toManys.isEmpty, !object.status.contains(.missing) else { return }
        object.toManys[slot].adopt(added: member)
        if object.isDeleted {
            // The rules are to be followed for the new member as well.
            unpropagated.append(object)
        } else {
            event.refresh(object)
        }
    }

    /// A partner that others have given to an object that is deleted here: the rules are to be followed for it.
    private func adopt(partner: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], object.isDeleted, object.hasChanges, !object.isFault else { return }
        object.row.toOnes[slot] = partner
        unpropagated.append(object)
    }

    func adopt(removed member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], !object.toManys.isEmpty else { return }
        object.toManys[slot].adopt(removed: member)
        if !object.isDeleted { event.refresh(object) }
    }

    /// One to one, others may have given an object a partner that this context has paired with somebody else. What was
    /// changed here stays, and is a change of the partner too.
    private func pairUp() throws(GraphError) {
        let jilted = (updated.members + inserted.members).flatMap { object in
            object.isFault ? [] : object.entity.toOnes.compactMap { relationship in partner(of: object, relationship) }
        }
        try fire(jilted.map(\.object))
        for object in updated.members + inserted.members where !object.isFault {
            for relationship in object.entity.toOnes where object.isEdited(relationship) {
                keepPartner(of: object, relationship)
            }
        }
        for case (let objectID, nil) in newer { leavePartners(of: objectID) }
        for (object, inverse, former) in jilted where !object.status.contains(.missing) {
            guard object.row.toOnes[inverse.slot] == former, !object.isEdited(inverse) else { continue }
            perform(.toOne(object, slot: inverse.slot, nil))
        }
    }

    /// One to one, a partner that was given here to an object leads back to it, unless it was given to another one here too.
    private func keepPartner(of object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let inverse = relationship.inverse, !inverse.isToMany,
            let partner = object.row.toOnes[relationship.slot].flatMap({ registered[$0] }), !partner.isFault,
            !partner.isDeleted, partner.row.toOnes[inverse.slot] != object.objectID,
            !partner.isEdited(partner.entity.toOnes[inverse.slot])
        else { return }
        var before = object.row
        before.toOnes[relationship.slot] = nil
        pairUp(object, before: before)
    }

    /// One to one, what others have deleted leads to nobody any more, unless it was paired here.
    private func leavePartners(of objectID: ManagedObjectID) {
        guard let object = registered[objectID], !object.isFault else { return }
        for relationship in object.entity.toOnes {
            guard let inverse = relationship.inverse, !inverse.isToMany,
                let partner = object.row.toOnes[relationship.slot]
            else { continue }
            if let partner = registered[partner], !partner.isFault, partner.row.toOnes[inverse.slot] == objectID {
                continue
            }
            perform(.toOne(object, slot: relationship.slot, nil))
        }
    }

    /// Whom the store has as the partner of an object that has another one here, and the relationship that leads back.
    private func partner(
        of object: ManagedObject,
        _ relationship: RelationshipDescription
    ) -> (object: ManagedObject, inverse: RelationshipDescription, former: ManagedObjectID)? {
        guard object.isEdited(relationship), let inverse = relationship.inverse, !inverse.isToMany,
            let stored = newer[object.objectID].flatMap(\.self) ?? object.snapshot,
            let partner = stored.row.toOnes[relationship.slot], partner != object.row.toOnes[relationship.slot]
        else { return nil }
        return (self.object(with: partner), partner.entity.toOnes[inverse.slot], object.objectID)
    }
}

extension ManagedObject {
    /// What an object with changes goes out from after others have changed its row. Where both have changed a property to
    /// something different, it still goes out from the old version, so that the save finds the conflict.
    fileprivate func rebased(on stored: Snapshot) -> Snapshot {
        guard let base = snapshot else { return stored }
        var rebased = stored.row
        var isContested = false
        for attribute in entity.attributes where row.attributes[attribute.slot] != base.row.attributes[attribute.slot] {
            let slot = attribute.slot
            let theirs = stored.row.attributes[slot]
            guard attribute.isPersistent, theirs != base.row.attributes[slot], theirs != row.attributes[slot] else {
                continue
            }
            rebased.attributes[slot] = base.row.attributes[slot]
            isContested = true
        }
        for slot in rebased.toOnes.indices where row.toOnes[slot] != base.row.toOnes[slot] {
            let theirs = stored.row.toOnes[slot]
            guard theirs != base.row.toOnes[slot], theirs != row.toOnes[slot] else { continue }
            rebased.toOnes[slot] = base.row.toOnes[slot]
            isContested = true
        }
        return isContested ? Snapshot(objectID: objectID, version: base.version, row: rebased) : stored
    }

    /// Whether a value that others have changed was set back to what it was before.
    func isOvertaken(by stored: Snapshot) -> Bool {
        guard !isFault, let base = snapshot?.row else { return false }
        return row.toOnes.indices.contains { slot in
            row.toOnes[slot] == base.toOnes[slot] && stored.row.toOnes[slot] != base.toOnes[slot]
        }
            || entity.attributes.contains { attribute in
                let slot = attribute.slot
                return attribute.isPersistent && row.attributes[slot] == base.attributes[slot]
                    && stored.row.attributes[slot] != base.attributes[slot]
            }
    }

    fileprivate func isEdited(_ relationship: RelationshipDescription) -> Bool {
        row.toOnes[relationship.slot] != snapshot?.row.toOnes[relationship.slot]
    }
}
