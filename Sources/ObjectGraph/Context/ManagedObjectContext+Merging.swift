// SPDX-License-Identifier: Apache-2.0

// Merging what others have saved. Pending changes stay; whether they can be saved is decided by the save.

import Predicates

extension ManagedObjectContext {
    /// Merges what others have saved since the last merge, and notifies observers. Live contexts do this automatically.
    public func mergeSavedChanges() throws(GraphError) {
        confinement.check()
        // If this throws, the queued changes must not be lost.
        try processPendingChanges()
        try merge(queued: source.drainSavedChanges())
    }

    /// Merges what was queued, and queues again what can't be merged.
    func merge(queued: [SavedChanges]) throws(GraphError) {
        var queued = queued[...]
        defer { if !queued.isEmpty { source.requeue(Array(queued)) } }
        try merge(queued: &queued)
    }

    /// Merges what was queued. After an error, what isn't merged remains.
    func merge(queued: inout ArraySlice<SavedChanges>) throws(GraphError) {
        guard !queued.isEmpty else { return }
        source.advanceQueryGeneration()
        for (changes, count) in Array(queued).combined {
            try merge(changes)
            queued.removeFirst(count)
        }
        try processPendingChanges()
    }

    /// Reads all loaded objects again and merges the changes; for contexts that don't merge automatically.
    public func mergeAll() throws(GraphError) {
        confinement.check()
        try processPendingChanges()
        source.advanceQueryGeneration()
        try merge(SavedChanges(source.coordinator.stores.map { .unknownStore($0.identifier) }))
        try processPendingChanges()
    }

    /// Marks queued changes to be read again if this context has saved or deleted the same objects after them.
    func markQueuedChangesOutdated(saved: [ManagedObject], deleted: [ManagedObject]) {
        let waiting = source.drainSavedChanges()
        guard !waiting.isEmpty else { return }
        let written = Set(saved.map(\.objectID))
        let gone = pending.savedDeletions.union(deleted.map(\.objectID))
        source.requeue(
            waiting.map { changes in
                var names = changes.identifiersOnly
                names.list.removeAll { change in
                    guard case .row(let objectID, let kind) = change else { return false }
                    return kind == .deleted ? written.contains(objectID) : gone.contains(objectID)
                }
                return names
            }
        )
    }

    /// Merges one save or batch of another writer. Everything is read before anything is changed.
    func merge(_ changes: SavedChanges) throws(GraphError) {
        guard !isUnrelatedToRegistered(changes) else {
            _ = advance(changes, Reading())
            return
        }
        let changes = addingIDs(ofRangesIn: changes)
        let reading = try reading(for: changes)
        for objectID in changes.namedIDs(.inserted) + changes.namedIDs(.updated) {
            if let object = registered[objectID], object.isInserted, let row = reading.rows[objectID] {
                convertToUpdate(object, of: row)
            }
        }
        var renewed: [ManagedObject] = []
        deletionsBeingMerged = Set(changes.objectIDs(.deleted) + reading.goneIDs)
        let deletedRanges = changes.ranges(.deleted)
        deletedRangesBeingMerged = deletedRanges.isEmpty ? nil : ObjectIDRangeIndex(deletedRanges)
        defer {
            deletionsBeingMerged = []
            deletedRangesBeingMerged = nil
        }
        hasChangedPending = false
        defer {
            if hasChangedPending {
                pendingChangeCount += 1
                pendingBound = nil
            }
        }
        try rebase(
            storedPairs: hasChanges ? changes.pairs : [],
            onto: { _ in
                renewed = advance(changes, reading)
            }
        )
        for object in renewed where !object.isFault && !object.isGone { object.awake(fromSnapshotEvents: .refresh) }
    }

    /// Whether saved rows neither are registered here nor refer, or referred, to registered objects: no pending change
    /// is based on them.
    private func isUnrelatedToRegistered(_ changes: SavedChanges) -> Bool {
        func isElsewhere(_ objectID: ManagedObjectID) -> Bool { registered[objectID] == nil && !isGone(objectID) }
        func isElsewhere(_ snapshot: Snapshot) -> Bool {
            isElsewhere(snapshot.objectID) && snapshot.row.toOnes.allSatisfy { $0.map(isElsewhere) ?? true }
        }
        return changes.list.allSatisfy { change in
            switch change {
            case .inserted(let row): isElsewhere(row)
            case .updated(let before, let after): isElsewhere(before) && isElsewhere(after)
            case .members(let change): change.objects.allSatisfy(isElsewhere)
            case .deleted, .recomputed, .row, .rows, .unknownStore: false
            }
        }
    }

    /// Turns an inserted object into an updated one, since others have restored it too. Values that differ are changes.
    private func convertToUpdate(_ object: ManagedObject, of row: Snapshot) {
        inserted.remove(object)
        object.status.remove(.inserted)
        object.status.insert(.updated)
        updated.append(object)
        object.snapshot = row
        for relationship in object.entity.toManys where !object.toManys.isEmpty {
            let added = object.toManys[relationship.slot].addedInOrder
            object.toManys[relationship.slot] = ToMany(
                relationship,
                members: nil,
                added: added,
                removed: [],
                orderBefore: nil
            )
        }
    }

    /// Adds the IDs from the ranges that this context must process.
    private func addingIDs(ofRangesIn changes: SavedChanges) -> SavedChanges {
        var named = changes
        named.add(idsToMerge(in: changes.ranges(.updated)), as: .updated)
        named.add(registered(in: changes.ranges(.deleted)), as: .deleted)
        named.list = named.list.map { change in
            guard case .row(let objectID, let kind) = change else { return change }
            return .row(objectID, localKind(of: objectID, changedAs: kind))
        }
        return named
    }

    /// The kind of a change from this context's view: an object inserted elsewhere may have been here before, and one
    /// updated elsewhere may have been deleted here.
    private func localKind(of objectID: ManagedObjectID, changedAs kind: SavedChanges.Kind) -> SavedChanges.Kind {
        switch kind {
        case .inserted:
            guard let object = registered[objectID], !object.isFault, !object.isInserted, !object.isGone else {
                return .inserted
            }
        case .deleted where !source.keepsDeleted(objectID): return .deleted
        case .updated, .deleted: break
        }
        return isGone(objectID) || isKept(objectID) ? .inserted : .updated
    }

    /// All IDs if there are observers; otherwise only those of registered objects.
    private func idsToMerge(in ranges: [ObjectIDRange]) -> [ManagedObjectID] {
        observers.isEmpty ? registered(in: ranges) : Array(ranges.joined())
    }

    private func registered(in ranges: [ObjectIDRange]) -> [ManagedObjectID] {
        guard !ranges.isEmpty else { return [] }
        // An object may be registered by the ID that it was requested with, of another entity.
        return registered.values.map(\.objectID).filter(ObjectIDRangeIndex(ranges).contains)
    }

    /// Advances the committed state past a save, with nothing pending. Returns the objects whose values were replaced.
    private func advance(_ changes: SavedChanges, _ reading: Reading) -> [ManagedObject] {
        var renewed: [ManagedObject] = []
        if !changes.unknownStores.isEmpty { event.isIncomplete = true }
        for (object, slot) in reading.faults {
            object.toManys[slot] = .fault(object.entity.toManys[slot])
            event.refresh(object)
        }
        for (object, slot, members) in reading.members { object.toManys[slot].reload(members) }
        for case .inserted(let row) in changes.list { insert(row) }
        for snapshot in reading.returned { registerInserted(snapshot.objectID, as: snapshot) }
        for objectID in changes.namedIDs(.inserted) { registerInserted(objectID, as: reading.rows[objectID]) }
        for objectID in idsToMerge(in: changes.ranges(.inserted)) { registerInserted(objectID, as: nil) }
        for case .updated(let before, let after) in changes.list {
            if let object = mergeRow(after, since: before.row) { renewed.append(object) }
        }
        for objectID in changes.namedIDs(.updated) where reading.rows[objectID] == nil { forgetValues(of: objectID) }
        mergeMembers(changes.list.compactMap { if case .members(let change) = $0 { change } else { nil } })
        for case .recomputed(let row) in changes.list { adopt(recomputed: row) }
        for (objectID, row) in reading.rows {
            if let object = registered[objectID], adopt(row, in: object) { renewed.append(object) }
        }
        let deleted = changes.list.compactMap { if case .deleted(let row) = $0 { row } else { nil } }
        mergeDeletions(deleted.map { ($0.objectID, $0) } + reading.goneIDs.map { ($0, nil) })
        return renewed
    }

    private func insert(_ snapshot: Snapshot) {
        registerInserted(snapshot.objectID, as: snapshot)
        let object = registered[snapshot.objectID]
        let row = object.flatMap { $0.isFault ? nil : $0.row } ?? snapshot.row
        updateOwners(of: snapshot.objectID, to: row, from: [snapshot.row])
    }

    /// Creates a new object if there are observers; restores one that was gone.
    private func registerInserted(_ objectID: ManagedObjectID, as snapshot: Snapshot?) {
        rebindToRows([objectID])
        pending.savedDeletions.remove(objectID)
        guard let object = registeredOrDiscarded(objectID) ?? faultIfObserved(objectID) else { return }
        if object.status.contains(.missing) { empty(object) }
        if object.isFault { object.snapshot = snapshot }
        event.insert(object)
    }

    /// The registered object of a store's ID. A fault of another entity, from before the entity was known, is
    /// discarded.
    private func registeredOrDiscarded(_ objectID: ManagedObjectID) -> ManagedObject? {
        guard let object = registered[objectID] else { return nil }
        guard object.entity != objectID.entity, object.isFault, !object.hasChanges else { return object }
        registered[objectID] = nil
        object.markChangedSinceArchive()
        return nil
    }

    /// A new fault if there are observers, or nil.
    private func faultIfObserved(_ objectID: ManagedObjectID) -> ManagedObject? {
        observers.isEmpty ? nil : register(objectID, status: .fault)
    }

    /// Replaces the row of an object unless it already has a later one. Returns the object if it isn't a fault.
    private func mergeRow(_ after: Snapshot, since before: Row) -> ManagedObject? {
        let objectID = after.objectID
        guard let object = registeredOrDiscarded(objectID) ?? faultIfObserved(objectID), !object.isGone else {
            updateOwners(of: objectID, to: after.row, from: [before])
            return nil
        }
        object.status.remove(.missing)
        let isNewer = object.snapshot.map { $0.version < after.version } ?? true
        let isRenewed = isNewer && adopt(after, in: object)
        event.refresh(object)
        updateOwners(
            of: objectID,
            to: object.isFault ? object.snapshot?.row ?? after.row : object.row,
            from: [before, after.row]
        )
        return isRenewed ? object : nil
    }

    /// Discards the values of an object that others have changed in unknown ways; they are read when next used.
    private func forgetValues(of objectID: ManagedObjectID) {
        guard let object = registeredOrDiscarded(objectID) ?? faultIfObserved(objectID), !object.isGone else { return }
        if !object.isFault { object.willTurnIntoFault() }
        empty(object)
        event.refresh(object)
    }

    /// Gives an object without changes another committed state. Loaded to-many relationships that contain it follow.
    /// Returns whether values were replaced that may have been read.
    @discardableResult
    func adopt(_ stored: Snapshot, in object: ManagedObject) -> Bool {
        guard !object.isFault, let base = object.snapshot?.row else {
            object.snapshot = stored
            return false
        }
        var committed = stored.row
        for attribute in object.entity.attributes where attribute.isTransient {
            committed.attributes[attribute.slot] = base.attributes[attribute.slot]
        }
        object.snapshot = Snapshot(
            objectID: object.objectID,
            version: stored.version,
            row: committed,
            mappedBytes: stored.mappedBytes
        )
        // Values that were set without being marked as changes stay.
        object.row = object.row.merged(over: committed, base: base)
        object.fetchedObjects = [:]
        event.refresh(object)
        updateOwners(of: object.objectID, to: object.row, from: [base])
        return true
    }

    /// Makes to-many relationships follow the to-one side, which refers to the row's destination and no longer to those
    /// of other rows.
    private func updateOwners(of objectID: ManagedObjectID, to row: Row, from others: [Row]) {
        for relationship in objectID.entity.toOnes {
            guard let inverse = relationship.inverse, inverse.isToMany else { continue }
            let owner = row.toOnes[relationship.slot]
            for former in others.map({ $0.toOnes[relationship.slot] }) where former != owner {
                if let former { adopt(removed: objectID, at: inverse.slot, of: former) }
            }
            if let owner { adopt(added: objectID, at: inverse.slot, of: owner) }
        }
    }

    /// Merges the members that a save has changed: first all members, then their order.
    private func mergeMembers(_ changes: [StoreSaveRequest.MembersChange]) {
        var appended: Set<Membership> = []
        for change in changes where change.relationship.isManyToMany {
            for objectID in change.objects {
                if let object = registeredOrDiscarded(objectID) ?? faultIfObserved(objectID) { event.refresh(object) }
            }
            let slot = change.relationship.slot
            for member in change.removed { adopt(removed: member, at: slot, of: change.owner) }
            for member in change.added where adopt(added: member, at: slot, of: change.owner) {
                appended.insert(Membership(owner: change.owner, slot: slot, member: member))
            }
            guard let inverse = change.relationship.inverse else { continue }
            for member in change.removed { adopt(removed: change.owner, at: inverse.slot, of: member) }
            for member in change.added where adopt(added: change.owner, at: inverse.slot, of: member) {
                appended.insert(Membership(owner: member, slot: inverse.slot, member: change.owner))
            }
        }
        for change in changes where change.relationship.isOrdered { mergeOrder(change, appended) }
    }

    /// Appended members may have arrived in another order, from the inverse or from their rows. Others stay in their
    /// places.
    private func mergeOrder(_ change: StoreSaveRequest.MembersChange, _ appended: Set<Membership>) {
        guard let owner = registered[change.owner], !owner.toManys.isEmpty else { return }
        let slot = change.relationship.slot
        for member in change.added where owner.toManys[slot].contains(member) == true {
            let membership = Membership(owner: change.owner, slot: slot, member: member)
            guard !change.relationship.isManyToMany || appended.contains(membership) else { continue }
            owner.toManys[slot].adopt(removed: member)
            owner.toManys[slot].adopt(added: member)
        }
        if let order = change.order { owner.toManys[slot].adopt(order: order) }
        event.refresh(owner)
    }

    private struct Membership: Hashable {
        let owner: ManagedObjectID
        let slot: Int
        let member: ManagedObjectID
    }

    /// Returns whether the relationship is loaded and didn't have the member.
    @discardableResult
    private func adopt(added member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) -> Bool {
        guard let object = registered[owner], !object.toManys.isEmpty, !object.isGone, !isGone(member) else {
            return false
        }
        let isNew = object.toManys[slot].adopt(added: member)
        event.refresh(object)
        return isNew
    }

    func adopt(removed member: ManagedObjectID, at slot: Int, of owner: ManagedObjectID) {
        guard let object = registered[owner], !object.toManys.isEmpty else { return }
        object.toManys[slot].adopt(removed: member)
        event.refresh(object)
    }
}

extension SavedChanges {
    /// The pairs that were linked, from both sides.
    fileprivate var pairs: Set<ContextChanges.Pair> {
        var pairs: Set<ContextChanges.Pair> = []
        for case .members(let change) in list where change.relationship.isManyToMany {
            for member in change.added {
                pairs.insert(.init(owner: change.owner, relationship: change.relationship, member: member))
                guard let inverse = change.relationship.inverse else { continue }
                let back = member.entity.toManys[inverse.slot]
                pairs.insert(.init(owner: member, relationship: back, member: change.owner))
            }
        }
        return pairs
    }
}
