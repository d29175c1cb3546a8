// SPDX-License-Identifier: Apache-2.0

// Discarding state in memory: of one object, of all changes, of everything.

extension ManagedObjectContext {
    /// Reads an object's values again when they are next used. Its changes are kept if they are to be merged; otherwise
    /// they are discarded, for relationships on both sides. Inserted and deleted objects stay as they are.
    ///
    /// Merged changes are based on the values read. If merges don't keep the base, this is a merge too: `editConflicts` has
    /// the properties that others have edited as well, and the save finds objects that others have deleted.
    public func refresh(_ object: ManagedObject, mergingChanges: Bool) throws(GraphError) {
        try refresh([object], mergingChanges: mergingChanges)
    }

    /// Refreshes several objects, reading their rows with one call.
    public func refresh(_ objects: [ManagedObject], mergingChanges: Bool) throws(GraphError) {
        confinement.check()
        let objects = OrderedMembers(
            objects.filter { !$0.isInserted && !$0.isDeleted && !$0.objectID.isTemporary }
        ).members
        guard !objects.isEmpty else { return }
        try propagateDeletions()
        if mergingChanges { try mergeRows(of: objects) } else { try discardChanges(of: objects) }
    }

    private func mergeRows(of objects: [ManagedObject]) throws(GraphError) {
        let ids = objects.map(\.objectID)
        var rows: [ManagedObjectID: Snapshot?] = [:]
        for (objectID, row) in zip(ids, try source.snapshots(of: ids, staleness: stalenessInterval))
        where row != nil || !mergesKeepBase { rows[objectID] = .some(row) }
        guard !rows.isEmpty else { return }
        // Inverse edits alone can't revert a refresh.
        if groupDepth > 0, groupCheckpoint == nil { groupCheckpoint = ContextCheckpoint(of: self) }
        try adopt(rows, awaking: .refresh) { changes in
            if mergesKeepBase { for objectID in rows.keys { changes.resolve(objectID) } }
        }
    }

    private func discardChanges(of objects: [ManagedObject]) throws(GraphError) {
        for object in objects where !object.isFault { object.willTurnIntoFault() }
        try rebase(
            dropping: { changes in for object in objects { changes.drop(object.objectID) } },
            onto: { _ in
                for object in objects where !object.isGone {
                    empty(object)
                    event.refresh(object)
                }
            }
        )
        for object in objects { object.didTurnIntoFault() }
    }

    /// Gives an object without changes a newer committed state.
    func refresh(_ object: ManagedObject, with snapshot: Snapshot) {
        if adopt(snapshot, in: object) { object.awake(fromSnapshotEvents: .refresh) }
    }

    /// Makes rows the committed state, where nil means gone, and drops some of the pending changes.
    func adopt(
        _ rows: [ManagedObjectID: Snapshot?],
        awaking events: SnapshotEvents,
        dropping filter: (inout ContextChanges) -> Void
    ) throws(GraphError) {
        var rows = rows
        var renewed: [ManagedObject] = []
        let partners = try readPartners(of: &rows)
        try rebase(dropping: filter) { changes in
            for case (let objectID, let row?) in rows {
                guard let object = registered[objectID], !object.isGone else { continue }
                let before = object.snapshot?.row
                if adopt(row, in: object) { renewed.append(object) }
                forgetOrder(of: object, before, changes)
            }
            mergeDeletions(rows.filter { $0.value == nil }.map { ($0.key, nil) })
        }
        withExtendedLifetime(partners) {
            for object in renewed where !object.isGone { object.awake(fromSnapshotEvents: events) }
        }
    }

    /// Marks ordered relationships to be read again if others have moved an object into them.
    private func forgetOrder(of object: ManagedObject, _ before: Row?, _ changes: ContextChanges?) {
        guard !object.isFault, let before else { return }
        for relationship in object.entity.toOnes
        where before.toOnes[relationship.slot] != object.row.toOnes[relationship.slot] {
            guard let inverse = relationship.inverse, inverse.isOrdered,
                let owner = object.row.toOnes[relationship.slot].flatMap({ registered[$0] }), !owner.toManys.isEmpty,
                !owner.isInserted, changes?.ordersMembers(of: owner, at: inverse.slot) != true
            else { continue }
            owner.toManys[inverse.slot] = .fault(owner.entity.toManys[inverse.slot])
        }
    }

    /// Turns an object into a fault without any known values.
    func empty(_ object: ManagedObject) {
        object.state = ManagedObject.State(status: .fault, assigned: object.assigned)
        object.fetchedObjects = [:]
    }

    /// Discards all changes since the last save, reading nothing.
    ///
    /// Within a hook it does nothing; the code that called the hook, or the end of the closure, throws an error.
    public func rollback() {
        confinement.check()
        guard mayBegin("rollback()") else { return }
        undoManager?.removeAll()
        let changes = removePendingChanges()
        for object in inserted.members {
            object.status.remove(.inserted)
            registered[object.objectID] = nil
            event.delete(object, wasInserted: false)
        }
        for before in changes.edited where before.state.status.contains(.inserted) {
            before.object.row = before.state.row
            before.object.toManys = before.state.toManys
        }
        pending = pending.withoutChanges
        deferredErrors.endChanges()
        for object in changes.deleted.map(\.object) where !object.isGone { event.restore(object) }
        for object in changes.edited.map(\.object) + changes.deleted.map(\.object)
        where registered[object.objectID] === object {
            guard !object.isGone else {
                event.delete(object, wasInserted: false)
                continue
            }
            event.refresh(object)
            object.awake(fromSnapshotEvents: .rollback)
        }
    }

    /// Drops changed values that were set back to their base while others changed them, or that equal what others have
    /// saved.
    func dropOutdatedValues() throws(GraphError) {
        let isOutdated = pending.newer.contains { objectID, stored in
            guard let object = registered[objectID] else { return false }
            // If others have deleted it too, nothing is left to delete.
            if object.isDeleted { return stored == nil }
            guard object.isUpdated, let base = object.snapshot else { return false }
            guard let stored else { return !object.hasOwnValues(since: base.row) }
            return object.isOutdated(by: stored.row, since: base.row)
        }
        if isOutdated { try rebase() }
        let reset = pending.contested.compactMap { objectID, values in
            registered[objectID].flatMap { object in values.reset(in: object).map { (objectID, $0) } }
        }
        guard !reset.isEmpty else { return }
        try rebase(dropping: { changes in
            for (objectID, values) in reset {
                changes.dropValues(of: objectID, attributes: values.attributes.contains, toOnes: values.toOnes.contains)
            }
        })
    }

    /// Discards everything. Objects that are still referenced can't be used any more: reading or changing them is an
    /// error.
    ///
    /// Within a hook it does nothing; the code that called the hook, or the end of the closure, throws an error.
    public func reset() {
        confinement.check()
        guard mayBegin("reset()") else { return }
        undoManager?.removeAll()
        for object in Array(registered.values) + deleted.members { forget(object) }
        registered = [:]
        pending = PendingRecords()
        event = ContextEvent()
        event.invalidatesAll = true
        deferredErrors.endChanges()
        source.advanceQueryGeneration()
    }

    private func forget(_ object: ManagedObject) {
        object.state = ManagedObject.State(status: [.fault, .missing, .forgotten])
    }
}

extension ManagedObject {
    /// Whether values of the row were changed here.
    fileprivate func hasOwnValues(since base: Row) -> Bool {
        row.toOnes != base.toOnes
            || entity.attributes.contains { $0.isPersistent && row.attributes[$0.slot] != base.attributes[$0.slot] }
    }

    /// Whether a value that others have changed was set back to its base, or to what they have saved.
    fileprivate func isOutdated(by stored: Row, since base: Row) -> Bool {
        func isResolved<Value: Equatable>(_ own: Value, _ stored: Value, _ base: Value) -> Bool {
            stored != base && (own == base || own == stored)
        }
        return row.toOnes.indices.contains { isResolved(row.toOnes[$0], stored.toOnes[$0], base.toOnes[$0]) }
            || entity.attributes.contains { attribute in
                let slot = attribute.slot
                return attribute.isPersistent
                    && isResolved(row.attributes[slot], stored.attributes[slot], base.attributes[slot])
            }
    }
}
