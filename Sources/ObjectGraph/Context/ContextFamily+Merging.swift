// SPDX-License-Identifier: Apache-2.0

// What goes from one context of a family to others.

extension ContextFamily {
    /// Merges what others have saved into the root, and from there into all below it.
    func mergeArrivals() throws {
        let arrived = inbox.takeAll()
        guard !arrived.isEmpty else { return }
        let root = try kin(root)
        if root.context.automaticallyMergesChanges {
            inbox.putBack(arrived)
            try entered(root) { _ in }
        }
        for changes in arrived {
            tell(root, changes)
            if !root.children.isEmpty { try hand(changes.namesOnly, below: root) }
        }
    }

    /// Runs a closure in a context, and has all others see what it did.
    func enter<Value>(_ member: Member, _ body: (ManagedObjectContext) throws -> Value) throws -> Value {
        let kin = try kin(member)
        var path = [kin]
        while let parent = path[path.count - 1].parent { path.append(try self.kin(parent)) }
        let traces = path.map { _ in Trace() }
        let outcome = Result {
            try entered(kin) { context in
                let observations = zip(path, traces).map { kin, trace in kin.context.observe(trace.add) }
                defer { for (kin, observation) in zip(path, observations) { kin.context.remove(observation) } }
                let value = try body(context)
                try context.processPendingChanges()
                return value
            }
        }
        rename(but: kin)
        for (place, (kin, trace)) in zip(path, traces).enumerated() {
            // The one that has saved into its parent has what it saved.
            try hand(trace.changes(in: kin.context), below: kin, but: place > 0 ? path[place - 1] : nil)
        }
        return try outcome.get()
    }

    /// Has the contexts below one merge what it shows otherwise now.
    private func hand(_ changes: SavedChanges, below kin: Kin, but origin: Kin? = nil) throws {
        guard !changes.isEmpty else { return }
        for member in kin.children {
            let child = try self.kin(member)
            guard child !== origin else { continue }
            if child.context.automaticallyMergesChanges {
                var seen = changes
                // What was never saved is gone with a reset, of which the stores can't tell.
                if !changes.unknownStores.isEmpty { seen.deletedIDs += child.context.orphans }
                child.source?.waiting.append(seen)
                try entered(child) { _ in }
            }
            tell(child, changes)
            try hand(changes, below: child)
        }
    }

    /// Gives what became permanent its new IDs in the contexts besides the one that has saved.
    private func rename(but kin: Kin) {
        let renamed = temporaryIDs.takeRenamed()
        guard !renamed.isEmpty else { return }
        for member in line(from: root) {
            guard let other = unsafe state.kin[member], other !== kin else { continue }
            other.context.confinement.entered { other.context.adopt(permanentIDs: renamed) }
        }
    }

    private func tell(_ kin: Kin, _ changes: SavedChanges) {
        guard !kin.watchers.isEmpty else { return }
        var notice = MergeNotice(changes)
        kin.context.confinement.entered {
            for place in notice.updated.indices {
                guard let object = kin.context.registeredObject(for: notice.updated[place].objectID) else { continue }
                notice.updated[place].conflict = kin.context.conflicts(
                    of: object,
                    with: notice.updated[place].properties
                )
            }
        }
        for watcher in kin.watchers.values { watcher(notice) }
    }

    /// What a closure did to a context.
    private final class Trace {
        private var inserted: [ManagedObjectID] = []
        private var updated: [ManagedObjectID] = []
        private var deleted: [ManagedObjectID] = []
        private var isOfAll = false

        func add(_ notification: ContextNotification) {
            switch notification {
            case .objectsDidChange(let event):
                inserted += event.inserted.map(\.objectID)
                updated += (event.updated + event.refreshed).map(\.objectID)
                deleted += event.deleted.map(\.objectID)
                if event.invalidatesAll { isOfAll = true }
            case .didSave(let saved): updated += (saved.inserted + saved.updated).map(\.objectID)
            case .willSave: break
            }
        }

        /// The changes, by the IDs that the objects have now.
        func changes(in context: ManagedObjectContext) -> SavedChanges {
            var changes = SavedChanges()
            changes.insertedIDs = OrderedMembers(inserted.map(context.current)).members
            changes.updatedIDs = OrderedMembers(updated.map(context.current)).members
            changes.deletedIDs = OrderedMembers(deleted.map(context.current)).members
            if isOfAll { changes.unknownStores = Set(context.source.coordinator.stores.map(\.identifier)) }
            return changes
        }
    }
}

extension ManagedObjectContext {
    /// The properties of an object that are edited here, among those that others have changed.
    fileprivate func conflicts(of object: ManagedObject, with properties: [String]) -> [String] {
        guard object.isUpdated || object.isDeleted, !object.isFault else { return [] }
        let contests = contests(of: object).map(\.property.name)
        if !automaticallyMergesChanges || mergesKeepBase {
            let edited = object.changedValues
            return properties.filter { edited[$0] != nil }
        }
        return properties.isEmpty ? contests : properties.filter(contests.contains)
    }

    /// Objects that this context has from its parent, which hasn't them any more.
    fileprivate var orphans: [ManagedObjectID] {
        registered.keys.filter { objectID in
            guard objectID.isTemporary, let object = registered[objectID], !object.isInserted, !object.isGone else {
                return false
            }
            return !source.hasUnsaved(objectID)
        }
    }

    /// Gives objects that were saved beneath this context their permanent IDs.
    func adopt(permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        for object in Array(registered.values) {
            rename(object, permanentIDs)
            for slot in object.toManys.indices {
                for (temporary, permanent) in permanentIDs { object.toManys[slot].replace(temporary, by: permanent) }
            }
            object.snapshot = object.snapshot?.renamed(permanentIDs)
        }
        newer = Dictionary(uniqueKeysWithValues: newer.map { (permanentIDs[$0] ?? $0, $1?.renamed(permanentIDs)) })
        contested = Dictionary(uniqueKeysWithValues: contested.map { (permanentIDs[$0] ?? $0, $1) })
        assignments = Dictionary(uniqueKeysWithValues: assignments.map { (permanentIDs[$0] ?? $0, $1) })
        for (temporary, permanent) in permanentIDs { successors[temporary] = permanent }
    }
}

extension Snapshot {
    /// The same, with other IDs.
    fileprivate func renamed(_ permanentIDs: [ManagedObjectID: ManagedObjectID]) -> Snapshot {
        let isConcerned =
            permanentIDs[objectID] != nil || row.toOnes.contains { $0.map { permanentIDs[$0] != nil } ?? false }
        guard isConcerned else { return self }
        var row = row
        row.toOnes = row.toOnes.map { $0.map { permanentIDs[$0] ?? $0 } }
        return Snapshot(objectID: permanentIDs[objectID] ?? objectID, version: version, row: row)
    }
}
