// SPDX-License-Identifier: Apache-2.0

// How changes pass from one context of a family to the others.

extension ContextFamily {
    /// Merges what others have saved into the root, and then into all contexts below it.
    func mergeInboxIntoTree() throws {
        let arrived = inbox.drain()
        guard !arrived.isEmpty else { return }
        let root = try memberNode(root)
        let trace = Trace()
        var waiting = arrived[...]
        let outcome = Result {
            guard root.context.automaticallyMergesChanges else {
                waiting = []
                return
            }
            // Merges only the drained changes. Later arrivals wait for the next call, which also reports them.
            try recordingEvents(of: root, in: trace) {
                try enter(root, mergingFirst: false) { context in
                    try context.processPendingChanges()
                    try context.merge(queued: &waiting)
                }
            }
        }
        if !waiting.isEmpty { inbox.requeue(Array(waiting)) }
        // What was merged before a failure still reaches the watchers and the children.
        let merged = arrived.dropLast(waiting.count)
        for changes in merged { notifyWatchers(of: root, about: changes) }
        if !merged.isEmpty, !root.children.isEmpty {
            let names = merged.map(\.identifiersOnly)
            withAccessToAll { propagate(trace.changes(in: root.context, with: names), notifying: names, below: root) }
        }
        try outcome.get()
    }

    /// Runs a closure in a context, and merges its changes into all others.
    func performAndPropagate<Value>(in member: Member, _ body: (ManagedObjectContext) throws -> Value) throws -> Value {
        let memberNode = try memberNode(member)
        var path = [memberNode]
        while let parent = path[path.count - 1].parent { path.append(try self.memberNode(parent)) }
        let traces = path.map { _ in Trace() }
        let outcome = Result {
            // What arrives for the root from now on is merged and reported by the next `mergeInboxIntoTree`.
            try enter(memberNode, mergingFirst: memberNode.parent != nil) { context in
                let observations = zip(path, traces).map { memberNode, trace in memberNode.context.observe(trace.add) }
                defer {
                    for (memberNode, observation) in zip(path, observations) { memberNode.context.remove(observation) }
                }
                let value = try body(context)
                try context.processPendingChanges()
                return value
            }
        }
        if memberNode.merges != memberNode.context.automaticallyMergesChanges { countContexts() }
        // The work is done, so the limits of the request that caused it no longer apply.
        WorkLimits.withoutLimits {
            withAccessToAll {
                rename(except: memberNode)
                for (place, (memberNode, trace)) in zip(path, traces).enumerated() {
                    let changes = trace.changes(in: memberNode.context)
                    // The context that saved into its parent already has what it saved.
                    propagate(
                        changes,
                        notifying: [changes],
                        below: memberNode,
                        except: place > 0 ? path[place - 1] : nil
                    )
                }
            }
        }
        return try outcome.get()
    }

    /// Merges changes of a context into its children, and the result into theirs. A merge that fails is retried when
    /// the child is used next, and throws there.
    private func propagate(
        _ changes: SavedChanges,
        notifying notices: [SavedChanges],
        below memberNode: MemberNode,
        except origin: MemberNode? = nil
    ) {
        guard !changes.isEmpty else { return }
        for case let child? in memberNode.children.map({ unsafe state.memberNodes[$0] }) where child !== origin {
            let trace = Trace()
            if child.context.automaticallyMergesChanges {
                child.source?.waiting.append(child.context.addingUnsavedObjects(changes))
                try? recordingEvents(of: child, in: trace) {
                    // Entering the context merges what is queued for it.
                    try enter(child) { _ in }
                }
            }
            for notice in notices { notifyWatchers(of: child, about: notice) }
            guard !child.children.isEmpty else { continue }
            propagate(trace.changes(in: child.context, with: [changes]), notifying: notices, below: child)
        }
    }

    /// Records what a merge changes in a context, for its children.
    private func recordingEvents(of memberNode: MemberNode, in trace: Trace, _ merge: () throws -> Void) throws {
        memberNode.context.familyObserver = memberNode.children.isEmpty ? nil : trace.add
        defer { memberNode.context.familyObserver = nil }
        try merge()
    }

    /// Gives objects their permanent IDs, in all contexts except the one that saved them.
    private func rename(except memberNode: MemberNode) {
        let renamed = temporaryIDs.drainRenamed()
        guard !renamed.isEmpty else { return }
        for member in subtree(from: root) {
            guard let other = unsafe state.memberNodes[member], other !== memberNode else { continue }
            try? withAccess(to: other) { other.context.adopt(permanentIDs: renamed) }
        }
    }

    private func notifyWatchers(of memberNode: MemberNode, about changes: SavedChanges) {
        guard !memberNode.watchers.isEmpty else { return }
        var notice = MergeNotice(changes)
        memberNode.context.confinement.withAccess {
            for place in notice.updated.indices {
                guard let object = memberNode.context.registeredObject(for: notice.updated[place].objectID) else {
                    continue
                }
                notice.updated[place].conflict = memberNode.context.conflicts(
                    of: object,
                    with: notice.updated[place].properties
                )
            }
        }
        for watcher in memberNode.watchers.values { watcher(notice) }
    }

    /// Records what happened to the objects of a context, for its children.
    private final class Trace {
        private var inserted: Set<ManagedObjectID> = []
        private var deleted: Set<ManagedObjectID> = []
        private var touched: [ManagedObjectID] = []
        private var isOfAll = false

        func add(_ notification: ContextNotification) {
            switch notification {
            case .objectsDidChange(let event):
                inserted.formUnion(event.inserted.map(\.objectID))
                deleted.formUnion(event.deleted.map(\.objectID))
                touched += (event.touched + event.deleted).map(\.objectID)
                if event.invalidatesAll { isOfAll = true }
            case .didSave(let saved): touched += (saved.inserted + saved.updated).map(\.objectID)
            case .willSave: break
            }
        }

        /// All touched objects, as the context shows them in the end and by their current IDs.
        ///
        /// - Parameter names: Changes of the stores, by ID.
        func changes(in context: ManagedObjectContext, with names: [SavedChanges] = []) -> SavedChanges {
            var changes = SavedChanges()
            var named: [ManagedObjectID] = []
            for change in names.flatMap(\.list) {
                guard case .row(let objectID, let kind) = change else {
                    changes.list.append(change)
                    continue
                }
                named.append(objectID)
                if kind == .inserted { inserted.insert(objectID) }
                if kind == .deleted { deleted.insert(objectID) }
            }
            touched = named + touched
            let name = { context.idForChildren(of: $0) ?? $0 }
            let new = Set(inserted.map(name))
            for objectID in OrderedMembers(touched.map(name)).members {
                let isShown = context.shows(objectID) ?? !deleted.contains(objectID)
                changes.list.append(.row(objectID, !isShown ? .deleted : new.contains(objectID) ? .inserted : .updated))
            }
            guard isOfAll else { return changes }
            for store in context.source.coordinator.stores { changes.list.append(.unknownStore(store.identifier)) }
            return changes
        }
    }
}

extension ManagedObjectContext {
    /// The properties of an object that are edited here and that others have changed too.
    fileprivate func conflicts(of object: ManagedObject, with properties: [String]) -> [String] {
        guard object.isUpdated || object.isDeleted, !object.isFault else { return [] }
        let editConflicts = editConflicts(of: object).map(\.property.name)
        if !automaticallyMergesChanges || mergesKeepBase {
            // Members added or removed on both sides are no conflict.
            let edited = object.changedValues
            return properties.filter { edited[$0] != nil && object.entity.relationship(named: $0)?.isToMany != true }
        }
        return properties.isEmpty ? editConflicts : properties.filter(editConflicts.contains)
    }

    /// Whether the object exists, or nil if it isn't known yet.
    fileprivate func shows(_ objectID: ManagedObjectID) -> Bool? {
        if let object = registered[objectID] { return object.status.isDisjoint(with: [.deleted, .missing]) }
        if pending.savedDeletions.contains(objectID) { return false }
        return objectID.isTemporary ? source.hasUnsaved(objectID) : nil
    }

    /// If any object may have changed, adds the parent's unsaved objects, which no store can report.
    fileprivate func addingUnsavedObjects(_ changes: SavedChanges) -> SavedChanges {
        guard !changes.unknownStores.isEmpty else { return changes }
        var changes = changes
        for object in registered.values where object.objectID.isTemporary && !object.isInserted {
            if source.hasUnsaved(object.objectID) {
                changes.list.append(.row(object.objectID, .updated))
            } else if !object.isGone {
                changes.list.append(.row(object.objectID, .deleted))
            }
        }
        changes.add(pending.savedDeletions.filter { $0.isTemporary && source.hasUnsaved($0) }, as: .inserted)
        return changes
    }
}
