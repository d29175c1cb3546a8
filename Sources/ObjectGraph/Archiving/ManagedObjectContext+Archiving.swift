// SPDX-License-Identifier: Apache-2.0

// Archiving a context's changes, and restoring them.

import Basics
import FoundationEssentials
import Predicates

extension ManagedObjectContext {
    /// Archives all that is pending, with the undo and redo groups.
    ///
    ///     let archive = try context.archive()
    public func archive() throws(GraphError) -> ContextArchive {
        confinement.check()
        try processPendingChanges()
        var archiveTracker = ArchiveTracker()
        return try ContextStep(of: self, &archiveTracker, isWhole: true).archive(in: model, isWhole: true)
    }

    /// Archives the changes since the last call, or everything if they aren't known.
    ///
    ///     var archives = [try context.archiveNext()]
    ///     // … changes
    ///     let next = try context.archiveNext()
    ///     if next.isWhole { archives = [] }
    ///     archives.append(next)
    ///
    /// Its cost depends on the changes since the last call, not on all that is pending.
    public func archiveNext() throws(GraphError) -> ContextArchive {
        confinement.check()
        try processPendingChanges()
        let (step, isWhole) = nextStep()
        do {
            return try step.archive(in: model, isWhole: isWhole)
        } catch {
            invalidateArchive()
            throw error
        }
    }

    /// Makes the next archive a whole one, for example because the previous one wasn't stored.
    public func invalidateArchive() { archiveTracker = nil }

    /// Restores an archive into an empty context over the same stores, or into a child of a context that was restored
    /// from its parent's archive.
    ///
    ///     context.undoManager = ObjectUndoManager()
    ///     try context.restore(archive)
    ///
    /// Changes that others have saved since are merged, unless the context is to continue from the state that it knew.
    /// Without an undo manager the undo groups are discarded. After an error the context is empty.
    public func restore(_ archive: ContextArchive, mergingSavedChanges: Bool = true) throws(GraphError) {
        try restore([archive], mergingSavedChanges: mergingSavedChanges)
    }

    /// Restores a series of archives into an empty context.
    public func restore(_ archives: [ContextArchive], mergingSavedChanges: Bool = true) throws(GraphError) {
        try restore(archives, mergingSavedChanges: mergingSavedChanges, permanentIDs: [:])
    }

    /// - Parameter permanentIDs: IDs that have become permanent since the context was archived.
    func restore(
        _ archives: [ContextArchive],
        mergingSavedChanges: Bool,
        permanentIDs: [ManagedObjectID: ManagedObjectID]
    ) throws(GraphError) {
        confinement.check()
        guard !hasChanges, registered.isEmpty, undoManager.map({ !$0.canUndo && !$0.canRedo }) ?? true else {
            throw GraphError(
                .invalidRequest,
                "An archive can only be restored into an empty context.",
                hint: "reset() empties a context, and its undo manager."
            )
        }
        let state = try ContextState(archives, model)
        let objectIDs = state.objectIDs
        for store in Set(objectIDs.compactMap(\.storeIdentifier) + state.assignments.map(\.store))
        where source.coordinator.store(store) == nil { throw .unknownStore(store) }
        let objects = makeObjects(of: state)
        if !permanentIDs.isEmpty { adopt(permanentIDs: permanentIDs) }
        do {
            if mergingSavedChanges { try catchUp(with: objectIDs, state, permanentIDs) }
            try processPendingChanges()
        } catch {
            reset()
            throw error
        }
        awaken(objects)
    }

    /// Creates the objects, and the context's lists of them. Returns those that have values.
    private func makeObjects(of state: ContextState) -> [ManagedObject] {
        let objects = state.objects.map(makeObject)
        pending.inserted = PendingObjects(state.inserted.map { objects[$0] })
        pending.updated = PendingObjects(state.updated.map { objects[$0] })
        pending.deleted = PendingObjects(state.deleted.map { objects[$0] })
        pending.locked = PendingObjects(state.locked.map { objects[$0] })
        pending.newer = Dictionary(state.newer.map { ($0.objectID, $0.stored) }) { _, last in last }
        pending.contested = Dictionary(state.contested.map { ($0.objectID, $0.values) }) { _, last in last }
        pending.successors = Dictionary(state.successors.map { ($0.former, $0.present) }) { _, last in last }
        pending.savedDeletions = Set(state.savedDeletions)
        pending.assignments = Dictionary(state.assignments.map { ($0.objectID, $0.store) }) { _, last in last }
        undoManager?.replaceGroups(
            undoable: state.undoable.map { $0.map { $0.map { objects[$0] } } },
            redoable: state.redoable.map { $0.map { $0.map { objects[$0] } } },
            consequences: state.consequences.map { $0.map { objects[$0] } }
        )
        hasRebased = state.hasRebased
        era = 0
        for object in inserted { event.insert(object) }
        for object in updated { event.update(object) }
        for object in deleted { event.delete(object, wasInserted: false) }
        return zip(state.objects, objects).filter { $0.contextPresence == .registered && !$1.isFault && !$1.isGone }
            .map(\.1)
    }

    private func makeObject(_ archived: ContextState.Object) -> ManagedObject {
        let entity = archived.objectID.entity
        let birth = ManagedObject.Birth(entity: entity, objectID: archived.objectID, confinement: confinement)
        let object = source.objectClass(for: entity).init(birth)
        object.state = archived.state
        guard archived.contextPresence != .detached else {
            if object.isFault { object.row = Row(nilOf: entity) }
            return object
        }
        if archived.contextPresence == .plain, archived.objectID.isTemporary, !source.hasUnsaved(archived.objectID) {
            object.status.insert(.missing)
        }
        registered[archived.objectID] = object
        return object
    }

    /// Awakens restored objects as after a fetch. Their changes of themselves are discarded.
    private func awaken(_ objects: [ManagedObject]) {
        let wasAwakening = isAwakening
        isAwakening = true
        defer { isAwakening = wasAwakening }
        for object in objects where !object.isFault {
            let state = object.state
            object.awakeFromFetch()
            object.state = state
        }
    }
}

// MARK: Catching up

extension ManagedObjectContext {
    /// Merges others' changes of objects that the pending changes and history refer to, if there are any.
    private func catchUp(
        with objectIDs: [ManagedObjectID],
        _ state: ContextState,
        _ permanentIDs: [ManagedObjectID: ManagedObjectID]
    ) throws(GraphError) {
        var changes = SavedChanges(source.coordinator.stores.map { .unknownStore($0.identifier) })
        let versions = Dictionary(keepingFirst: state.objects.map { ($0.objectID, $0.version) })
        let asked = OrderedMembers(objectIDs.map { permanentIDs[$0] ?? $0 }).members.filter(isExpected)
        var isNews = objectIDs.contains { permanentIDs[$0] != nil }
        for objectID in objectIDs where versions[objectID] == nil && isNonexistent(objectID) {
            pending.savedDeletions.insert(objectID)
            isNews = true
        }
        for (objectID, row) in zip(asked, try source.snapshots(of: asked, staleness: .zero)) {
            let object = registered[objectID]
            guard let row else {
                // Nothing may refer to it any more, not even undo.
                if object == nil {
                    pending.savedDeletions.insert(objectID)
                } else {
                    changes.list.append(.row(objectID, .deleted))
                }
                isNews = true
                continue
            }
            // The history is based on another version of the row.
            if let version = versions[objectID] ?? nil, version != row.version { isNews = true }
            // Rows in stores are compared by the merge.
            if objectID.isTemporary, let before = object?.snapshot, before.row != row.row {
                changes.list.append(.row(objectID, .updated))
                isNews = true
            }
        }
        // A deleted row may exist again; an inserted object may have been restored by others, or saved to the parent.
        let gone = pending.savedDeletions.union(registered.keys).filter { $0.isTemporary && (isGone($0) || isKept($0)) }
        let maybe = (gone + inserted.map(\.objectID)).filter { !$0.isTemporary || source.hasUnsaved($0) }
        for (objectID, row) in zip(maybe, try source.snapshots(of: maybe, staleness: .zero)) where row != nil {
            changes.list.append(.row(objectID, .inserted))
            isNews = true
        }
        let reading = try reading(for: changes)
        let areOthers = reading.members.contains { object, slot, members in !object.toManys[slot].isCommitted(members) }
        isNews = isNews || areOthers || !reading.rows.isEmpty || !reading.goneIDs.isEmpty || !reading.returned.isEmpty
        if !isNews { isNews = try deletedObjectsHaveNewMembers() }
        if isNews { try merge(changes) }
    }

    /// Whether others have added members to deleted objects, to which delete rules apply.
    private func deletedObjectsHaveNewMembers() throws(GraphError) -> Bool {
        var owners: [RelationshipDescription: [ManagedObject]] = [:]
        for object in deleted where !object.isGone {
            for relationship in object.entity.toManys where relationship.isFollowedByDeletion {
                owners[relationship, default: []].append(object)
            }
        }
        for (relationship, objects) in owners {
            let members = try source.members(of: relationship, owners: objects.map(\.objectID))
            for (object, members) in zip(objects, members) {
                let lost = object.toManys.isEmpty ? [] : Set(object.toManys[relationship.slot].removed)
                if !lost.isSuperset(of: members.filter { !isGone($0) }) { return true }
            }
        }
        return false
    }

    /// Whether an object that was never saved exists neither here nor in a parent.
    private func isNonexistent(_ objectID: ManagedObjectID) -> Bool {
        objectID.isTemporary && current(objectID) == objectID && registered[objectID] == nil
            && !source.hasUnsaved(objectID)
    }

    /// Whether the parent or a store should have an object.
    private func isExpected(_ objectID: ManagedObjectID) -> Bool {
        guard current(objectID) == objectID, !pending.savedDeletions.contains(objectID), !isKept(objectID) else {
            return false
        }
        if let object = registered[objectID] { return !object.isInserted && !object.isGone }
        return !objectID.isTemporary
    }
}

extension ContextState {
    /// The IDs that the changes and history refer to. Other members are read when they are used.
    fileprivate var objectIDs: [ManagedObjectID] {
        var objectIDs = OrderedMembers<ManagedObjectID>()
        func add(_ more: some Sequence<ManagedObjectID>) { for objectID in more { objectIDs.append(objectID) } }
        for object in objects {
            add([object.objectID])
            let state = object.state
            add([state.row, state.snapshot?.row].compactMap(\.self).flatMap { $0.toOnes.compactMap(\.self) })
            for toMany in state.toManys { add(toMany.added.members + toMany.removed.members) }
        }
        for inverse in (undoable + redoable + [consequences.map(\.inverse)]).joined() {
            switch inverse.edit {
            case .toOne(_, _, let destination): add([destination].compactMap(\.self))
            case .addMember(_, _, let member, _), .removeMember(_, _, let member): add([member])
            case .order(_, _, let order): add(order)
            case .restore(_, _, let lost): add(lost.joined())
            case .attribute, .assign, .insert, .remove, .delete: break
            }
        }
        return objectIDs.members
    }
}

extension ToMany {
    /// Whether the committed members are unchanged, as far as they are known.
    fileprivate func isCommitted(_ members: [ManagedObjectID]) -> Bool {
        guard let committed else { return true }
        return isOrdered ? committed == members : Set(committed) == Set(members)
    }
}
