// SPDX-License-Identifier: Apache-2.0

// The steps of a save: process changes, call hooks, validate, write, and make the written state the committed one.

extension ManagedObjectContext {
    /// Saves all changes, or none: after an error the context is as it was.
    public func save() throws(GraphError) { try save(nil) }

    /// Saves all changes, or none, and a note in the same transaction, even without changes.
    ///
    ///     try context.save { PendingNote(key: "order 7") { rows in … } }
    ///
    /// - Parameter makeNote: Creates the note, if there is to be one, right before the write, after hooks and the merge
    ///   policy; called again if the policy resolves another conflict. If it throws, nothing is saved.
    public func save(
        noting makeNote: @escaping () throws(GraphError) -> PendingNote<SavedRows>?
    ) throws(GraphError) {
        try save(makeNote)
    }

    private func save(_ makeNote: (() throws(GraphError) -> PendingNote<SavedRows>?)?) throws(GraphError) {
        try saving("save()") { () throws(GraphError) in try write(makeNote) }
    }

    private func write(_ makeNote: (() throws(GraphError) -> PendingNote<SavedRows>?)?) throws(GraphError) {
        try processPendingChanges()
        guard hasChanges else {
            // Metadata of the stores is written even if no object was changed.
            _ = try source.save([], of: origin, noting: try makeNote?())
            return
        }
        try prepare()
        let (snapshots, recomputed, permanentIDs) = try resolvingConflicts { changes throws(GraphError) in
            try source.save(changes, of: origin, noting: try makeNote?())
        }
        adoptSaved(snapshots, permanentIDs)
        for snapshot in recomputed { adopt(recomputed: snapshot) }
    }

    /// Evaluates `save()` without writing: returns the rows that it would change, with derived values computed, under
    /// their objects' present IDs. Throws what the save would throw.
    ///
    ///     let rows = try context.rehearseSave()   // rows[0].version is 2
    ///
    /// The objects keep their changes, including those by hooks and the merge policy.
    public func rehearseSave() throws(GraphError) -> [Snapshot] {
        try saving("rehearseSave()") { () throws(GraphError) in
            try processPendingChanges()
            guard hasChanges else { return [] }
            try prepare()
            return try resolvingConflicts { changes throws(GraphError) in try source.rehearse(changes) }.saved
        }
    }

    /// Calls the hooks of a save, and validates.
    func prepare() throws(GraphError) {
        pending.survivors = [:]
        try deferredErrors.checkForSaving()
        notifyObservers(of: .willSave)
        try processPendingChanges()
        try prepareObjects()
        try deferredErrors.checkForSaving()
    }

    /// Attempts the save until there are no conflicts. Each round is based on the stored rows that the previous one has
    /// found, and validates the resolution. After too many rounds it throws the conflicts, and the context is as before
    /// the first resolution.
    private func resolvingConflicts(
        _ attempt: ([ObjectChange]) throws(GraphError) -> SaveOutcome
    ) throws(GraphError) -> (
        saved: [Snapshot], recomputed: [Snapshot], permanentIDs: [ManagedObjectID: ManagedObjectID]
    ) {
        var before: ContextCheckpoint?
        do throws(GraphError) {
            for _ in 0..<Self.roundLimit {
                if before != nil { try prepareObjects() }
                switch try attempt(pendingChanges) {
                case .saved(let saved, let recomputed, let permanentIDs): return (saved, recomputed, permanentIDs)
                case .conflicts(let conflicts):
                    if before == nil { before = ContextCheckpoint(of: self) }
                    try resolve(conflicts)
                }
            }
            throw GraphError(.conflict, "Other writers changed the objects to save \(Self.roundLimit) times in a row.")
        } catch {
            before?.restore(self)
            throw error
        }
    }

    var origin: SaveOrigin { SaveOrigin(contextName: name, author: transactionAuthor) }

    /// Calls `willSave` and validates until nothing changes any more: changes by hooks and validators are saved, and
    /// must be valid too.
    private func prepareObjects() throws(GraphError) {
        var asked = OrderedMembers<ManagedObject>()
        for _ in 0..<Self.roundLimit {
            for object in inserted.members + updated.members + deleted.members
            where object.hasHooks && asked.append(object) {
                object.willSave()
            }
            if event.isEmpty {
                try validate()
                if event.isEmpty { return }
            }
            for object in event.inserted.members + event.updated.members { asked.remove(object) }
            try processPendingChanges()
        }
        throw GraphError(
            .endlessChanges,
            "willSave or a validator changed objects \(Self.roundLimit) times in a row.",
            hint: "Change a value there only if it differs; a change calls willSave again."
        )
    }

    private var pendingChanges: [ObjectChange] {
        let kept = retainableReferences
        let locked = unchangedLockedObjects
        var changes: [ObjectChange] = []
        changes.reserveCapacity(deleted.count + inserted.count + updated.count + locked.count)
        for object in deleted { changes.append(ObjectChange(object, .deleted)) }
        for object in inserted {
            changes.append(
                ObjectChange(
                    object,
                    .inserted,
                    store: pending.assignments[object.objectID],
                    formerVersion: pending.formerVersions[object.objectID] ?? 0,
                    kept: kept[object.objectID]
                )
            )
        }
        for object in updated {
            changes.append(ObjectChange(object, .updated, isLocked: pending.locked.contains(object)))
        }
        for object in locked { changes.append(ObjectChange(object, .locked, isLocked: true)) }
        return changes
    }

    /// The objects that the save depends on without changing them.
    var unchangedLockedObjects: [ManagedObject] { pending.locked.members.filter { !$0.hasChanges } }

    /// Makes the saved state the committed one, and gives new objects their permanent IDs.
    private func adoptSaved(_ snapshots: [Snapshot], _ permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        let did = ObjectsDidSave(inserted: inserted.members, updated: updated.members, deleted: deleted.members)
        let saved = did.inserted + did.updated
        let gone = did.deleted
        for object in saved { rename(object, using: permanentIDs) }
        var written = RowsInOrder(snapshots)
        for object in saved {
            if let snapshot = written.row(of: object.objectID), object.commit(snapshot) {
                // A new object has only got computed values; nothing was read again.
                if object.isInserted { event.update(object) } else { event.refresh(object) }
            }
            for slot in object.toManys.indices { object.toManys[slot].commit() }
            object.status.subtract([.inserted, .updated])
            // Values set from now on are changes of the saved row.
            object.assigned = AssignedProperties()
        }
        for object in gone {
            // Needed if no delete rule has done it, such as No Action.
            if !object.isFault, object.row.toOnes.contains(where: { $0 != nil }) {
                removeFromRelationships(object.objectID, object.row)
                hasRebased = true
            }
            // Undo may restore it as a new object.
            for slot in object.toManys.indices { object.toManys[slot].uncommit() }
            object.status.remove(.deleted)
            unregisterDeleted(object)
        }
        pending = pending.withoutChanges
        event.includesSave = true
        markQueuedChangesOutdated(saved: saved, deleted: gone)
        era += 1
        undoManager?.moveConsequencesIntoGroups()
        for object in saved + gone { object.didSave() }
        notifyObservers(of: .didSave(did))
    }

    /// Replaces temporary IDs by permanent ones: the object's own, and those of related objects.
    func rename(_ object: ManagedObject, using permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        if let permanent = permanentIDs[object.objectID] {
            temporaryIDs?.recordSave(of: object.objectID, as: permanent)
            rename(object, to: permanent)
        }
        for slot in object.row.toOnes.indices {
            if let permanent = object.row.toOnes[slot].flatMap({ permanentIDs[$0] }) {
                object.row.toOnes[slot] = permanent
            }
        }
        for slot in object.toManys.indices {
            let toMany = object.toManys[slot]
            // In an unchanged object, members can be new only to a parent.
            for member in (object.hasChanges ? toMany.added : toMany.members ?? toMany.added).members {
                if let permanent = permanentIDs[member] { object.toManys[slot].replace(member, by: permanent) }
            }
        }
    }
}

extension ManagedObject {
    /// Takes over the stored row, keeping transient values. Returns whether values changed.
    fileprivate func commit(_ snapshot: Snapshot) -> Bool {
        guard !isFault else {
            self.snapshot = snapshot
            return false
        }
        var committed = snapshot.row
        for attribute in entity.transients { committed.attributes[attribute.slot] = row.attributes[attribute.slot] }
        let isOther = committed != row
        row = committed
        self.snapshot = snapshot.replacing(committed)
        return isOther
    }
}
