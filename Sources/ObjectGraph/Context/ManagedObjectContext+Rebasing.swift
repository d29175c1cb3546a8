// SPDX-License-Identifier: Apache-2.0

// Removes pending changes from the objects, replaces the committed state, and applies the changes again. See
// `ContextChanges` for the invariants.

import Predicates

extension ManagedObjectContext {
    /// Applies the changes to another committed state. Only what delete rules need is read; if that fails, the rules
    /// are applied later.
    ///
    /// - Parameter storedPairs: Pairs that the store is known to have.
    /// - Parameter filter: Drops some of the changes.
    /// - Parameter advance: Replaces the committed state.
    func rebase(
        storedPairs: Set<ContextChanges.Pair> = [],
        dropping filter: (inout ContextChanges) -> Void = { _ in },
        onto advance: (ContextChanges?) -> Void = { _ in }
    ) throws(GraphError) {
        hasRebased = true
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        guard hasChanges || !pending.newer.isEmpty else { return advance(nil) }
        let deletedBefore = event.deleted
        let before = revertConsequences()
        let removed = removePendingChanges()
        var changes = removed
        filter(&changes)
        advance(changes)
        changes.dropOutdatedConsequences()
        let eventOfAdvance = event
        event = ContextEvent()
        defer { report(before ?? removed, eventOfAdvance, deletedBefore) }
        reapply(changes, storedPairs: storedPairs)
        deletionReplay = DeletionReplay(of: removed.deleted)
        defer {
            undoManager?.add(deletionReplay?.consequences ?? [])
            deletionReplay = nil
        }
        try propagateDeletions()
    }

    /// Reverts later consequences of deletions, which are recomputed from the remaining deletions. Returns the changes
    /// as they were with them, or nil.
    private func revertConsequences() -> ContextChanges? {
        guard let undoManager, !undoManager.records.consequences.isEmpty else { return nil }
        let before = ContextChanges(of: self)
        let outerEvent = event
        isReverting = true
        performAfterMerges(undoManager.drainConsequences())
        isReverting = false
        event = outerEvent
        return before
    }

    /// Removes all changes from the objects. New objects stay, without relationships.
    func removePendingChanges() -> ContextChanges {
        let changes = ContextChanges(of: self)
        for object in changes.edited.map(\.object) + changes.deleted.map(\.object) {
            restoreCommitted(object)
        }
        // A reverted deletion leaves its object without changes.
        for object in pending.newer.keys.compactMap({ registered[$0] }) where changes[object.objectID] == nil {
            guard !deleted.contains(object) else { continue }
            restoreCommitted(object)
            event.refresh(object)
        }
        pending.unpropagated = pending.unpropagated.filter { !deleted.contains($0) }
        updated = PendingObjects()
        deleted = PendingObjects()
        pending.newer = [:]
        return changes
    }

    private func restoreCommitted(_ object: ManagedObject) {
        guard !object.isInserted else { return unlinkFromEverything(object) }
        object.status.subtract([.updated, .deleted])
        for slot in object.toManys.indices { object.toManys[slot].rollback() }
        switch pending.newer[object.objectID] {
        case .some(.some(let stored)): object.snapshot = stored
        case .some(.none): object.status = [.deleted, .missing]
        case .none: break
        }
        if !object.isFault, let committed = object.snapshot { object.row = committed.row }
    }

    /// Unlinks an object from everything, as far as it knows its relationships.
    private func unlinkFromEverything(_ object: ManagedObject) {
        object.row.toOnes = Array(repeating: nil, count: object.row.toOnes.count)
        object.toManys = object.entity.toManys.map(ToMany.empty)
    }

    /// Records the result of a rebase in the event, without what is unchanged.
    private func report(
        _ removed: ContextChanges,
        _ eventOfAdvance: ContextEvent,
        _ deletedBefore: OrderedMembers<ManagedObject>
    ) {
        let silent = event
        event = eventOfAdvance
        var known: Set<ManagedObject> = []
        for before in removed.edited + removed.deleted {
            let object = before.object
            known.insert(object)
            if object.status != before.state.status || object.snapshot !== before.base { hasChangedPending = true }
            if registered[object.objectID] !== object {
                if !deletedBefore.contains(object) { event.forget(object) }
            } else if object.isDeleted {
                if !before.state.status.contains(.deleted) {
                    event.delete(object, wasInserted: before.state.status.contains(.inserted))
                }
            } else if before.state.status.contains(.deleted) {
                event.restore(object)
            } else {
                event.forget(object)
                if object.row != before.state.row || object.toManys != before.state.toManys {
                    event.refresh(object)
                    hasChangedPending = true
                }
            }
        }
        for object in silent.updated where known.insert(object).inserted { event.update(object) }
        for object in silent.deleted where known.insert(object).inserted { event.delete(object, wasInserted: false) }
    }
}

// MARK: Making the changes again

extension ManagedObjectContext {
    private func reapply(_ changes: ContextChanges, storedPairs: Set<ContextChanges.Pair>) {
        let again = keepDeleted(changes)
        for edited in changes.edited where !edited.object.isGone {
            let object = edited.object
            if object.isFault, let snapshot = object.snapshot { fill(object, with: snapshot) }
            guard !object.isFault else { continue }
            for (slot, value) in edited.attributes where object.row.attributes[slot] != value {
                perform(.attribute(object, slot: slot, value))
            }
        }
        reapplyToOnes(changes)
        for edited in again { keepToOnes(edited) }
        for pair in changes.removed { setPair(pair, isLinked: false) }
        for pair in changes.added where !storedPairs.contains(pair) || isPair(pair) != nil {
            setPair(pair, isLinked: true)
        }
        for (owner, slot, members) in changes.additions where !owner.isGone && !owner.toManys.isEmpty {
            owner.toManys[slot].arrange(added: members)
        }
        for (owner, slot, order) in changes.orders where !owner.isGone && !owner.toManys.isEmpty {
            guard let arranged = owner.toManys[slot].arranged(order) else { continue }
            perform(.order(owner, slot: slot, arranged))
        }
        for edited in changes.edited where !changes.resolved.contains(edited.object.objectID) {
            recordConflict(of: edited)
        }
        for edited in changes.deleted where !changes.revived.contains(edited.object.objectID) {
            deleteAgain(edited, isResolved: changes.resolved.contains(edited.object.objectID))
        }
    }

    /// Keeps objects that others have deleted and that were changed here; the save resolves the conflict.
    private func keepDeleted(_ changes: ContextChanges) -> [ContextChanges.Edited] {
        let lost = changes.edited.filter(\.object.isGone)
        for edited in lost
        where edited.attributes.contains(where: { edited.object.entity.attributes[$0.slot].isPersistent }) {
            keep(edited)
        }
        for edited in lost where edited.object.isGone {
            if edited.toOnes.contains(where: { !($0.destination.map(isGone) ?? false) }) { keep(edited) }
        }
        return lost.filter { !$0.object.isGone }
    }

    private func keep(_ edited: ContextChanges.Edited) {
        let object = edited.object
        object.row = edited.state.row
        unlinkFromEverything(object)
        if edited.isInsertedAgain {
            object.status = .inserted
            pending.formerVersions[object.objectID] = edited.base?.version
            object.snapshot = nil
            inserted.append(object)
        } else {
            object.status = .updated
            object.snapshot = edited.base
            updated.append(object)
            pending.newer[object.objectID] = .some(nil)
        }
    }

    /// An object that is kept although others have deleted it keeps its to-one references, unless another object
    /// determines them too.
    private func keepToOnes(_ edited: ContextChanges.Edited) {
        let object = edited.object
        var committed = edited.base?.row
        for relationship in object.entity.toOnes where !edited.toOnes.contains(where: { $0.slot == relationship.slot })
        {
            let destination = edited.state.row.toOnes[relationship.slot]
            if relationship.inverse?.isToMany ?? true || destination == object.objectID {
                link(object, through: relationship, to: destination)
            }
            committed?.toOnes[relationship.slot] = object.row.toOnes[relationship.slot]
        }
        if !object.isInserted, let base = edited.base, let committed {
            object.snapshot = base.replacing(committed)
        }
    }

    private func reapplyToOnes(_ changes: ContextChanges) {
        func linkToOnes(of edited: ContextChanges.Edited, where isWanted: (Int, ManagedObjectID?) -> Bool) {
            for (slot, destination) in edited.toOnes where isWanted(slot, destination) {
                self.link(edited.object, through: edited.object.entity.toOnes[slot], to: destination)
            }
        }
        for edited in changes.edited { linkToOnes(of: edited) { $1 == nil } }
        for (owner, inverse, members) in changes.arrivals {
            for edited in members.compactMap({ changes[$0] }) {
                linkToOnes(of: edited) { $0 == inverse && $1 == owner.objectID }
            }
        }
        for edited in changes.edited { linkToOnes(of: edited) { $1 != nil } }
    }

    /// Sets both sides of a to-one relationship, as far as that needs no reading.
    func link(
        _ object: ManagedObject,
        through relationship: RelationshipDescription,
        to destination: ManagedObjectID?
    ) {
        guard !object.isFault, !object.isGone, !(destination.map(isGone) ?? false) else { return }
        let slot = relationship.slot
        let before = object.row.toOnes[relationship.slot]
        guard before != destination else { return }
        if let inverse = relationship.inverse, inverse.isToMany {
            if let before { perform(.removeMember(self.object(with: before), slot: inverse.slot, object.objectID)) }
            perform(.toOne(object, slot: slot, destination))
            if let destination {
                perform(.addMember(self.object(with: destination), slot: inverse.slot, object.objectID, at: nil))
            }
        } else if let inverse = relationship.inverse {
            let old = before.flatMap(filled)
            let new = destination.flatMap(filled)
            if let old, old.row.toOnes[inverse.slot] == object.objectID {
                perform(.toOne(old, slot: inverse.slot, nil))
            }
            if let former = new?.row.toOnes[inverse.slot].flatMap(filled), former.row.toOnes[slot] == destination {
                perform(.toOne(former, slot: slot, nil))
            }
            perform(.toOne(object, slot: slot, destination))
            if let new { perform(.toOne(new, slot: inverse.slot, object.objectID)) }
        } else {
            perform(.toOne(object, slot: slot, destination))
        }
    }

    /// An object with its values, if they are known.
    private func filled(_ objectID: ManagedObjectID) -> ManagedObject? {
        let object = object(with: objectID)
        if object.isFault, let snapshot = object.snapshot { fill(object, with: snapshot) }
        return object.isFault ? nil : object
    }

    /// Whether two objects are a pair, or nil if only the store knows.
    private func isPair(_ pair: ContextChanges.Pair) -> Bool? {
        func isMember(_ member: ManagedObjectID, of owner: ManagedObjectID, at slot: Int) -> Bool? {
            guard let owner = registered[owner], !owner.toManys.isEmpty else { return nil }
            return owner.toManys[slot].contains(member)
        }
        return isMember(pair.member, of: pair.owner, at: pair.relationship.slot)
            ?? pair.relationship.inverse.flatMap { isMember(pair.owner, of: pair.member, at: $0.slot) }
    }

    private func setPair(_ pair: ContextChanges.Pair, isLinked isWanted: Bool) {
        guard !isGone(pair.owner), !isGone(pair.member), isPair(pair) != isWanted else { return }
        func change(_ owner: ManagedObjectID, _ slot: Int, _ member: ManagedObjectID) {
            let owner = object(with: owner)
            perform(
                isWanted
                    ? .addMember(owner, slot: slot, member, at: nil) : .removeMember(owner, slot: slot, member)
            )
        }
        change(pair.owner, pair.relationship.slot, pair.member)
        // Applying the same edit twice changes nothing.
        if let inverse = pair.relationship.inverse { change(pair.member, inverse.slot, pair.owner) }
    }

    /// Records the values that others have changed too: as edit conflicts, or, if merges keep the base, by keeping these
    /// values' former base.
    private func recordConflict(of edited: ContextChanges.Edited) {
        let object = edited.object
        guard let base = edited.base, !object.isFault, !object.isInserted, !object.isGone,
            pending.newer[object.objectID] == nil,
            let stored = object.snapshot, stored !== base
        else { return }
        var row = stored.row
        for slot in row.attributes.indices where object.entity.attributes[slot].isPersistent {
            let own = object.row.attributes[slot]
            let theirs = row.attributes[slot]
            let before = base.row.attributes[slot]
            if own != theirs, own != before, theirs != before { row.attributes[slot] = before }
        }
        for slot in row.toOnes.indices {
            let own = object.row.toOnes[slot]
            let theirs = row.toOnes[slot]
            let before = base.row.toOnes[slot]
            if own != theirs, own != before, theirs != before { row.toOnes[slot] = before }
        }
        guard row != stored.row else { return }
        guard mergesKeepBase else { return recordEditConflict(of: object, base: base.row, stored: stored.row) }
        // The versions of a row that was inserted again start over.
        let version = base.version == stored.version ? 0 : base.version
        object.snapshot = Snapshot(objectID: object.objectID, version: version, row: row)
        pending.newer[object.objectID] = .some(stored)
    }

    private func deleteAgain(_ edited: ContextChanges.Edited, isResolved: Bool) {
        let object = edited.object
        guard !object.status.contains(.missing) else { return forgetDeleted(edited) }
        // Delete rules use the stored row, which may have been inserted again.
        if object.isFault, let stored = object.snapshot { fill(object, with: stored) }
        if !object.isFault, !edited.state.row.attributes.isEmpty {
            // Undo restores what was changed before, and otherwise what others have saved.
            var row = edited.state.row
            if isResolved || !mergesKeepBase, let base = edited.base {
                row = row.merged(over: object.row, base: base.row)
            }
            object.row.attributes = row.attributes
            for relationship in object.entity.toOnes where relationship.inverse == nil {
                object.row.toOnes[relationship.slot] = row.toOnes[relationship.slot]
            }
            // Other references were cleared by the delete rule.
            for relationship in object.entity.toOnes where !relationship.isFollowedByDeletion {
                link(object, through: relationship, to: row.toOnes[relationship.slot])
            }
        }
        perform(.delete(object))
        pending.unpropagated.append(object)
        guard !isResolved, mergesKeepBase, let base = edited.base, let stored = object.snapshot,
            base.version != stored.version
        else {
            return
        }
        object.snapshot = base
        pending.newer[object.objectID] = .some(stored)
    }

    /// Treats a deletion as saved if others have saved it too. Undo may restore the object as a new one.
    private func forgetDeleted(_ edited: ContextChanges.Edited) {
        let object = edited.object
        object.row = edited.state.row
        object.toManys = edited.state.toManys
        for slot in object.toManys.indices { object.toManys[slot].uncommit() }
        object.status = edited.state.status.subtracting([.deleted, .missing])
        unregisterDeleted(object)
    }
}
