// SPDX-License-Identifier: Apache-2.0

// Undo and redo.

extension ManagedObjectContext {
    /// Undoes the last group of changes.
    public func undo() throws(GraphError) { try replay(undoing: true) }

    /// Redoes the group of changes that was undone last.
    public func redo() throws(GraphError) { try replay(undoing: false) }

    private func replay(undoing: Bool) throws(GraphError) {
        try checkReentrance(of: undoing ? "undo()" : "redo()")
        try processPendingChanges()
        let before = ContextCheckpoint(of: self)
        do throws(GraphError) {
            try perform(undoing: undoing)
        } catch {
            before.restore(self)
            throw error
        }
    }

    private func perform(undoing: Bool) throws(GraphError) {
        guard let undoManager else { return }
        try undoManager.replay(undoing: undoing) { group throws(GraphError) in
            // Later consequences of deletions are reverted first, and recomputed for the remaining deletions.
            let consequences = undoManager.drainConsequences()
            var touched = OrderedMembers(group.map(\.edit.object))
            let all = OrderedMembers(touched.members + consequences.map(\.edit.object))
            try fire(all.compactMap { registered[current($0.objectID)] }.filter { !$0.isDeleted })
            let partners = hasRebased ? try partners(in: group + consequences) : []
            defer { withExtendedLifetime(partners) {} }
            try loadOrdered(group)
            var group = group
            let back = try recreatedByOthers(group)
            let replaced = touched.filter { isReplaced($0) || back.contains($0) }
            if !replaced.isEmpty {
                for object in replaced { touched.remove(object) }
                group.removeAll { !touched.contains($0.edit.object) }
                // The edits of the other sides of relationships remain, and set both sides.
                hasRebased = true
            }
            let before = all.map(\.status)
            let edits = group.map(\.edit)
            assignNewIDs(for: edits)
            isReverting = true
            undoManager.disableRegistration()
            performAfterMerges(consequences)
            undoManager.enableRegistration()
            if hasRebased { performAfterMerges(group) } else { for edit in edits { perform(edit) } }
            isReverting = false
            // The edits may not have their usual effect after changes of others.
            if hasRebased { for edit in edits { unlinkUnsaved(edit) } }
            // An object that was inserted and saved is deleted now, and others may refer to it.
            for case .remove(let object) in edits where deleted.contains(object) { pending.unpropagated.append(object) }
            try propagateDeletions()
            if hasRebased { try rebase() } else { for object in touched { markUnchangedIfAsSaved(object) } }
            for (object, status) in zip(all, before) where touched.contains(object) || object.status != status {
                object.awake(fromSnapshotEvents: object.snapshotEvents(since: status))
            }
        }
        try processPendingChanges()
    }

    /// Unlinks never-saved objects from objects that others linked meanwhile and the edits don't know.
    private func unlinkUnsaved(_ edit: ContextEdit) {
        switch edit {
        case .remove(let object) where registered[object.objectID] !== object:
            unlinkFromAll(object)
            unlinkReferrers(from: object)
        case .delete(let object) where object.isDeleted && !deleted.contains(object):
            pending.unpropagated.append(object)
            unlinkReferrers(from: object)
        default: break
        }
    }

    /// Reads the partners that lose a one-to-one reference by the edits; others may have linked them meanwhile.
    private func partners(in group: UndoGroup) throws(GraphError) -> [ManagedObject] {
        typealias Lead = (object: ManagedObject, slot: Int, destination: ManagedObjectID?, back: Int)
        let leads = group.compactMap { inverse -> Lead? in
            guard case .toOne(let object, let slot, let destination) = inverse.edit,
                let back = object.entity.toOnes[slot].inverse, !back.isToMany
            else { return nil }
            return (object, slot, destination.map(current), back.slot)
        }
        func stored(_ object: ManagedObject, _ slot: Int) -> ManagedObjectID? { storedRow(of: object)?.toOnes[slot] }
        let known = try readRows(of: leads.flatMap { [stored($0.object, $0.slot), $0.destination] })
        return try known
            + readRows(
                of: leads.map { lead in
                    lead.destination.flatMap { registered[$0] }.flatMap { stored($0, lead.back) }
                }
            )
    }

    /// Reads the rows of objects about which nothing is known.
    private func readRows(of objectIDs: [ManagedObjectID?]) throws(GraphError) -> [ManagedObject] {
        let unknown = OrderedMembers(objectIDs.compactMap(\.self)).filter { objectID in
            guard let object = registered[objectID] else {
                return !isGone(objectID) && (!objectID.isTemporary || source.hasUnsaved(objectID))
            }
            return object.isFault && object.snapshot == nil && !object.status.contains(.missing)
        }
        guard !unknown.isEmpty else { return [] }
        let rows = try source.snapshots(of: unknown, staleness: stalenessInterval)
        return rows.compactMap(\.self).map { object(of: $0, refreshing: false) }
    }

    /// Reads the members of ordered relationships whose order is to be restored. If the order wasn't loaded when it was
    /// changed, a restored member gets its place from the store.
    private func loadOrdered(_ group: UndoGroup) throws(GraphError) {
        var owners: [RelationshipDescription: OrderedMembers<ManagedObject>] = [:]
        for case .order(let object, let slot, _) in group.lazy.map(\.edit) {
            let relationship = object.entity.toManys[slot]
            guard registered[object.objectID] === object, !object.isDeleted else { continue }
            owners[relationship, default: OrderedMembers()].append(object)
        }
        for (relationship, objects) in owners { try load(relationship, of: objects) }
    }

    /// Whether the row of an object that was deleted here exists again as another object, which is left as it is.
    private func isReplaced(_ object: ManagedObject) -> Bool {
        guard let other = registered[current(object.objectID)] else { return false }
        return other !== object && !other.status.contains(.missing)
    }

    /// Objects that a save has deleted and whose rows exist again, unnoticed so far.
    private func recreatedByOthers(_ group: UndoGroup) throws(GraphError) -> Set<ManagedObject> {
        let objects = group.compactMap { inverse -> ManagedObject? in
            guard case .restore(let object, let status, _) = inverse.edit, !status.contains(.inserted) else {
                return nil
            }
            guard registered[current(object.objectID)] == nil, !deleted.contains(object) else { return nil }
            return object.objectID.isTemporary && !source.hasUnsaved(object.objectID) ? nil : object
        }
        guard !objects.isEmpty else { return [] }
        let rows = try source.snapshots(of: objects.map(\.objectID), staleness: .zero)
        return Set(zip(objects, rows).filter { $1 != nil }.map(\.0))
    }

    /// Marks an object as unchanged if it is as it was at the last save.
    func markUnchangedIfAsSaved(_ object: ManagedObject) {
        guard object.isUpdated, isAsSaved(object) else { return }
        object.status.remove(.updated)
        updated.remove(object)
    }

    /// Whether an object has only the values and members that the store is known to have.
    func isAsSaved(_ object: ManagedObject) -> Bool {
        (object.isFault || object.row == object.snapshot?.row) && !object.toManys.contains(where: \.hasChanges)
    }
}

extension ManagedObject {
    fileprivate func snapshotEvents(since status: Status) -> SnapshotEvents {
        switch (status.contains(.deleted), isDeleted, status.contains(.inserted), isInserted) {
        case (true, false, _, _), (_, _, false, true): .undoDeletion
        case (false, true, _, _), (_, _, true, false): .undoInsertion
        default: .undoUpdate
        }
    }
}
