// SPDX-License-Identifier: Apache-2.0

// Writes the changes of a context into the stores.

import Basics
import FoundationEssentials
import Synchronization

extension StoreSource {
    func permanentIDs(for changes: [ObjectChange]) throws(GraphError) -> [ManagedObjectID: ManagedObjectID] {
        try StoreCallback.checkWriting(coordinator)
        var permanentIDs: [ManagedObjectID: ManagedObjectID] = [:]
        let inserted = changes.filter { $0.kind == .inserted && $0.objectID.isTemporary }
        for (store, places) in try groupedByStoreForInserting(inserted) {
            let entities = places.map { inserted[$0].objectID.entity }
            var references: [Int: ManagedObjectID.Reference] = [:]
            for (number, place) in places.enumerated() { references[number] = inserted[place].kept?.reference }
            let ids = try GraphError.wrapping { try store.permanentIDs(for: entities, keeping: references) }
            guard Set(ids).count == places.count else { throw .wrongIDs(of: store) }
            for (place, id) in zip(places, ids) { permanentIDs[inserted[place].objectID] = id }
        }
        return permanentIDs
    }

    func save(
        _ changes: [ObjectChange],
        of origin: SaveOrigin,
        noting note: PendingNote<SavedRows>?
    ) throws(GraphError) -> SaveOutcome {
        let permanentIDs = try permanentIDs(for: changes)
        let plan = SavePlan(changes, permanentIDs: permanentIDs)
        try plan.checkStores()
        let start = ContinuousClock.now
        let pending = note?.guarded(by: coordinator).adapted { rows in SavedRows(rows, permanentIDs: permanentIDs) }
        let result = try write(changes, plan, of: origin, pending)
        if case .saved = result, !changes.isEmpty {
            let time = ContinuousClock.now - start
            coordinator.timings.saves.withLock { $0.add(time, objects: plan.rowCount) }
        }
        coordinator.observers.deliver()
        switch result {
        case .saved(let rows):
            advanceQueryGeneration()
            // As a rule, no other rows have derived values.
            if plan.writes(exactly: rows) { return .saved(rows, recomputed: [], permanentIDs) }
            let planned = plan.writtenIDs
            let recomputed = rows.filter { !planned.contains($0.objectID) }
            let written = recomputed.isEmpty ? rows : rows.filter { planned.contains($0.objectID) }
            return .saved(written, recomputed: recomputed, permanentIDs)
        case .conflicts(let conflicts):
            return .conflicts(conflicts.renaming(Dictionary(keepingFirst: permanentIDs.map { ($1, $0) })))
        }
    }

    /// Metadata that isn't written yet goes with any save: such stores are written after those with changes.
    private func storesToWrite(_ plan: SavePlan) throws(GraphError) -> [(any PersistentStore, StoreSaveRequest)] {
        var stores: [(any PersistentStore, StoreSaveRequest)] = []
        for identifier in plan.stores {
            guard let request = plan.requests[identifier], !request.isEmpty else { continue }
            try stores.append((store(identifier), request))
        }
        let others = coordinator.stores.filter { store in
            !store.isReadOnly && !stores.contains { $0.0 === store }
        }
        return stores + others.map { ($0, StoreSaveRequest()) }
    }

    /// Contexts are notified of a store's saves in commit order: the store ensures it, or saves run one at a time.
    private func write(
        _ changes: [ObjectChange],
        _ plan: SavePlan,
        of origin: SaveOrigin,
        _ pending: PendingNote<[Snapshot]>?
    ) throws(GraphError) -> StoreSaveResult {
        let stores = try storesToWrite(plan)
        guard stores.count(where: { !$0.1.isEmpty }) < 2 else {
            return try coordinator.saving.withLock { _ throws(GraphError) in
                try writeJointly(changes, stores, of: origin, pending)
            }
        }
        var notes: [UUID: PendingNote<[Snapshot]>] = [:]
        if let pending {
            notes[try coordinator.storeForNote(stores.first { !$0.1.isEmpty }?.0).identifier] = pending
        }
        if stores.count == 1, stores[0].0.acceptsConcurrentSaves {
            return try writeOneByOne(changes, stores, of: origin, notes)
        }
        return try coordinator.saving.withLock { [notes] _ throws(GraphError) in
            try writeOneByOne(changes, stores, of: origin, notes)
        }
    }

    /// Writes several stores as a whole, then those with only metadata to write.
    private func writeJointly(
        _ changes: [ObjectChange],
        _ stores: [(any PersistentStore, StoreSaveRequest)],
        of origin: SaveOrigin,
        _ note: PendingNote<[Snapshot]>?
    ) throws(GraphError) -> StoreSaveResult {
        let parts = stores.filter { !$0.1.isEmpty }.map { store, request in
            let planned = PlannedChanges(changes, writtenBy: request, in: store.identifier)
            return JointSavePart(store: store, request: request, commit: commit(of: planned, in: store, from: origin))
        }
        switch try JointSaveRun(parts, noting: note).run() {
        case .conflicts(let conflicts):
            // The retry after a refresh must read these rows again.
            coordinator.rowCache.forget(conflicts.overtaken)
            return .conflicts(conflicts)
        case .saved(let saved):
            let written = parts.map(\.store.identifier)
            let rest = stores.filter { $0.1.isEmpty }
            _ = try writeOneByOne(changes, rest, of: origin, [:], after: written)
            return .saved(written.flatMap { saved[$0] ?? [] })
        }
    }

    /// Writes the one store with changes, if any, and the metadata of the others. If a later store fails, the save must
    /// not be retried, or inserted objects would exist twice.
    private func writeOneByOne(
        _ changes: [ObjectChange],
        _ stores: [(any PersistentStore, StoreSaveRequest)],
        of origin: SaveOrigin,
        _ notes: [UUID: PendingNote<[Snapshot]>],
        after former: [UUID] = []
    ) throws(GraphError) -> StoreSaveResult {
        var rows: [Snapshot] = []
        var written = former
        for (store, request) in stores {
            let planned = PlannedChanges(changes, writtenBy: request, in: store.identifier)
            do throws(GraphError) {
                let result = try withLimits(if: written.isEmpty) { () throws(GraphError) in
                    var commit = commit(of: planned, in: store, from: origin)
                    commit.note = notes[store.identifier]
                    return try GraphError.wrapping { try store.save(request, commit: commit) }
                }
                switch result {
                case .saved(let saved): rows += saved
                case .conflicts(let conflicts):
                    coordinator.rowCache.forget(conflicts.overtaken)
                    return .conflicts(conflicts)
                }
            } catch {
                throw written.isEmpty ? error : .incompleteSave(written: written, failed: store.identifier, error)
            }
            written.append(store.identifier)
        }
        return .saved(rows)
    }

    /// The commit for a store's part of a save, which publishes the changes once the store has committed them.
    private func commit(
        of planned: PlannedChanges,
        in store: any PersistentStore,
        from origin: SaveOrigin
    ) -> Commit<[Snapshot]> {
        Commit(origin: origin) { [coordinator, inbox, identifier = store.identifier] written, transaction in
            coordinator.publish(
                planned.savedChanges(written: written),
                of: origin,
                at: CommitPosition(store: identifier, transaction: transaction),
                except: inbox
            )
        }
    }

    /// A save that has begun in one store is completed in all, without a time limit.
    private func withLimits<Result>(
        if isLimited: Bool,
        _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        if isLimited { return try body() }
        do {
            return try WorkLimits.withoutLimits(body)
        } catch {
            throw .ofStore(error)
        }
    }

    /// The store that a new object is assigned to, or else the one for its entity.
    func storeForInserting(_ change: ObjectChange) throws(GraphError) -> any PersistentStore {
        guard let assigned = change.store else { return try coordinator.storeForInserting(change.objectID.entity) }
        return try coordinator.store(assigned, forInserting: change.objectID.entity)
    }

    private func groupedByStoreForInserting(
        _ changes: [ObjectChange]
    ) throws(GraphError) -> [(any PersistentStore, [Int])] {
        var groups: [(store: any PersistentStore, places: [Int])] = []
        for (place, change) in changes.enumerated() {
            let store = try storeForInserting(change)
            if let index = groups.firstIndex(where: { $0.store === store }) {
                groups[index].places.append(place)
            } else {
                groups.append((store, [place]))
            }
        }
        return groups
    }
}
