// SPDX-License-Identifier: Apache-2.0

// The stores of a coordinator as a context sees them: one, whatever their number.

import FoundationEssentials
import Predicates
import Synchronization

/// A root context's way to the stores.
final class StoreSource: ObjectSource {
    let coordinator: PersistentStoreCoordinator
    /// Where what others have saved comes in; nil for a context that doesn't care.
    private let inbox: ContextInbox?

    init(coordinator: PersistentStoreCoordinator, inbox: ContextInbox? = nil) {
        self.coordinator = coordinator
        self.inbox = inbox
    }

    func takeSavedChanges() -> [SavedChanges] { inbox?.takeAll() ?? [] }

    func putBack(_ changes: [SavedChanges]) { inbox?.putBack(changes) }

    func objectClass(for entity: EntityDescription) -> ManagedObject.Type { coordinator.objectClass(for: entity) }

    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?] {
        var snapshots: [Snapshot?] = Array(repeating: nil, count: objects.count)
        for (store, places) in byStore(objects) {
            let found = try wrapped { try store.snapshots(of: places.map { objects[$0] }, at: nil) }
            for (place, snapshot) in zip(places, found) { snapshots[place] = snapshot }
        }
        return snapshots
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]] {
        var members: [[ManagedObjectID]] = Array(repeating: [], count: owners.count)
        for (store, places) in byStore(owners) {
            let found = try wrapped {
                try store.members(of: relationship, owners: places.map { owners[$0] }, at: nil)
            }
            for (place, ids) in zip(places, found) { members[place] = ids }
        }
        return members
    }

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
        let kinds = request.includesSubentities ? request.entity.kinds : request.entity.index..<request.entity.index + 1
        let stores = coordinator.stores(of: kinds)
        guard !stores.isEmpty else { throw .noStore(for: request.entity) }
        var answers: [StoreFetchResult] = []
        for store in stores { answers.append(try wrapped { try store.fetch(request, at: nil) }) }
        return answers.count == 1 ? answers[0] : StoreFetchResult(joining: answers)
    }

    func isSpread(over kinds: Range<Int>) -> Bool { coordinator.stores(of: kinds).count > 1 }

    func save(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome {
        var permanentIDs: [ManagedObjectID: ManagedObjectID] = [:]
        let inserted = changes.filter { $0.kind == .inserted && $0.objectID.isTemporary }
        for (store, places) in try byStoreForInserting(inserted) {
            let ids = try wrapped { try store.permanentIDs(for: places.map { inserted[$0].objectID.entity }) }
            for (place, id) in zip(places, ids) { permanentIDs[inserted[place].objectID] = id }
        }
        let plan = SavePlan(changes, permanentIDs: permanentIDs)
        try plan.checkStores()
        // Contexts are told of saves in the order in which they were done.
        return try coordinator.saving.withLock { _ throws(GraphError) in
            switch try write(plan) {
            case .saved(let snapshots):
                coordinator.live.tell(SavedChanges(changes, plan, snapshots), except: inbox)
                return .saved(snapshots, permanentIDs)
            case .conflicts(let conflicts):
                return .conflicts(conflicts.renaming(Dictionary(uniqueKeysWithValues: permanentIDs.map { ($1, $0) })))
            }
        }
    }

    /// Stores can't be written as one. Where a later one refuses after an earlier one was written, the save must not be tried
    /// again, or what was inserted would be there twice.
    private func write(_ plan: SavePlan) throws(GraphError) -> StoreSaveResult {
        var snapshots: [Snapshot] = []
        var written: [UUID] = []
        for identifier in plan.stores {
            guard let store = coordinator.store(identifier), let request = plan.requests[identifier],
                !request.isEmpty
            else { continue }
            do throws(GraphError) {
                switch try wrapped({ try store.save(request) }) {
                case .saved(let saved): snapshots += saved
                case .conflicts(let conflicts):
                    guard !written.isEmpty else { return .conflicts(conflicts) }
                    throw GraphError(.conflict, "Others have changed what was to be saved.")
                }
            } catch {
                throw written.isEmpty ? error : .incompleteSave(written: written, failed: identifier, error)
            }
            written.append(identifier)
        }
        return .saved(snapshots)
    }

    /// The places of IDs by the store that has their rows, those of no store left out.
    private func byStore(_ objects: [ManagedObjectID]) -> [(any PersistentStore, [Int])] {
        var groups: [UUID: [Int]] = [:]
        for (place, objectID) in objects.enumerated() {
            if let identifier = objectID.storeIdentifier { groups[identifier, default: []].append(place) }
        }
        return groups.compactMap { identifier, places in coordinator.store(identifier).map { ($0, places) } }
    }

    private func byStoreForInserting(
        _ changes: [ObjectChange]
    ) throws(GraphError) -> [(any PersistentStore, [Int])] {
        var groups: [UUID: (any PersistentStore, [Int])] = [:]
        for (place, change) in changes.enumerated() {
            let assigned = change.store.flatMap(coordinator.store)
            let store =
                if let assigned { assigned } else { try coordinator.storeForInserting(change.objectID.entity) }
            groups[store.identifier, default: (store, [])].1.append(place)
        }
        return Array(groups.values)
    }

    /// Runs a call to a store, whose errors are its own.
    private func wrapped<Result>(_ body: () throws -> Result) throws(GraphError) -> Result {
        do {
            return try body()
        } catch let error as GraphError {
            throw error
        } catch {
            var wrapped = GraphError(.store, "The store could not do what it was asked: \(error)")
            wrapped.underlying = error
            throw wrapped
        }
    }
}

extension GraphError {
    static func incompleteSave(written: [UUID], failed: UUID, _ reason: GraphError) -> GraphError {
        let names = written.map(\.uuidString).joined(separator: ", ")
        var error = GraphError(
            .incompleteSave,
            "The store \(failed.uuidString) could not be written, after \(names) had been: \(reason.message)",
            hint: "Reset the context and fetch anew; saving it again would insert objects twice."
        )
        error.underlying = reason
        return error
    }
}

/// What came of a save.
enum SaveOutcome {
    /// The rows as they stand now, and the IDs that the new objects got.
    case saved([Snapshot], [ManagedObjectID: ManagedObjectID])
    case conflicts(StoreConflicts)
}
