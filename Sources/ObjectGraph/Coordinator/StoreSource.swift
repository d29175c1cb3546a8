// SPDX-License-Identifier: Apache-2.0

// The stores of a coordinator as a single source for a context.

import Basics
import FoundationEssentials
import Predicates
import Synchronization

/// The connection of a root context, or of a `CoordinatorReader`, to the stores.
final class StoreSource: ObjectSource {
    let coordinator: PersistentStoreCoordinator
    /// Receives what others have saved, or nil for a context that doesn't merge.
    let inbox: ContextInbox?
    /// What is read: see `StoreSource+Generations.swift`.
    var generation = QueryGeneration.unpinned

    init(coordinator: PersistentStoreCoordinator, inbox: ContextInbox? = nil) {
        self.coordinator = coordinator
        self.inbox = inbox
    }

    var stores: StoreSource { self }

    func drainSavedChanges() -> [SavedChanges] { inbox?.drain() ?? [] }

    func requeue(_ changes: [SavedChanges]) { inbox?.requeue(changes) }

    /// A live context gets its own batch through the inbox, like all others.
    func drainChangesAfterBatch(_ changes: SavedChanges) -> [SavedChanges] { inbox?.drain() ?? [changes] }

    func objectClass(for entity: EntityDescription) -> ManagedObject.Type { coordinator.objectClass(for: entity) }

    func objectID(forURI uri: String) -> ManagedObjectID? { coordinator.objectID(forURI: uri) }

    func hasUnsaved(_ objectID: ManagedObjectID) -> Bool { false }

    func keepsDeleted(_ objectID: ManagedObjectID) -> Bool { false }

    func isAboutToDelete(_ objectID: ManagedObjectID) -> Bool { false }

    func snapshots(of objects: [ManagedObjectID], staleness: Duration?) throws(GraphError) -> [Snapshot?] {
        try coordinator.timings.faults.timing(objects: \.count) { () throws(GraphError) in
            try readSnapshots(objects, staleness)
        }
    }

    private func readSnapshots(_ objects: [ManagedObjectID], _ staleness: Duration?) throws(GraphError) -> [Snapshot?] {
        try StoreCallback.checkReading(coordinator)
        let token = try pinned()
        var snapshots: [Snapshot?] = Array(repeating: nil, count: objects.count)
        for (store, places) in try groupedByStore(objects) {
            let found = try self.snapshots(of: places.map { objects[$0] }, in: store, token, staleness)
            for (place, snapshot) in zip(places, found) {
                guard let named = snapshot?.objectID.entity, case let asked = objects[place].entity else { continue }
                precondition(
                    named.rootIndex == asked.rootIndex,
                    "A store returned a row of \(named.name) for an object of \(asked.name)."
                )
                // A cached row may have been requested under another entity of its hierarchy.
                if named.isKind(of: asked) { snapshots[place] = snapshot }
            }
        }
        return snapshots
    }

    /// A pinned context reads one generation, which the cache doesn't hold.
    private func snapshots(
        of objects: [ManagedObjectID],
        in store: any PersistentStore,
        _ token: QueryGenerationToken?,
        _ staleness: Duration?
    ) throws(GraphError) -> [Snapshot?] {
        if let token {
            guard let generation = token.generation(of: store) else { return objects.map { _ in nil } }
            return try GraphError.wrapping { try store.snapshots(of: objects, at: generation) }
        }
        if store.keepsRowsInMemory { return try GraphError.wrapping { try store.snapshots(of: objects, at: nil) } }
        return try coordinator.rowCache.rows(of: objects, staleness: staleness) { missing throws(GraphError) in
            try GraphError.wrapping { try store.snapshots(of: missing, at: nil) }
        }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]] {
        try coordinator.timings.relationshipFaults.timing(objects: \.count) { () throws(GraphError) in
            try readMembers(of: relationship, owners)
        }
    }

    private func readMembers(
        of relationship: RelationshipDescription,
        _ owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]] {
        try StoreCallback.checkReading(coordinator)
        let token = try pinned()
        var members: [[ManagedObjectID]] = Array(repeating: [], count: owners.count)
        for (store, places) in try groupedByStore(owners) where isVisible(store, in: token) {
            let found = try GraphError.wrapping {
                try store.members(
                    of: relationship,
                    owners: places.map { owners[$0] },
                    at: token?.generation(of: store)
                )
            }
            for (place, ids) in zip(places, found) { members[place] = ids }
        }
        return members
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows {
        try coordinator.timings.relationshipFaults.timing(objects: \.members.count) { () throws(GraphError) in
            try readRelated(along: relationship, owners, matching: request)
        }
    }

    /// The members of each owner's to-many relationship and their rows, which aren't cached: they are to be deleted.
    func relatedToDelete(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> RelatedRows {
        try coordinator.timings.relationshipFaults.timing(objects: \.members.count) { () throws(GraphError) in
            try readRelated(along: relationship, owners, matching: nil, isCached: false)
        }
    }

    private func readRelated(
        along relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        isCached: Bool = true
    ) throws(GraphError) -> RelatedRows {
        try StoreCallback.checkReading(coordinator)
        let token = try pinned()
        var related = RelatedRows(members: Array(repeating: [], count: owners.count), rows: [])
        if request?.includesPositions == true { related.places = related.members.map { _ in [] } }
        for (store, places) in try groupedByStore(owners) where isVisible(store, in: token) {
            let owners = places.map { owners[$0] }
            let found = try self.related(
                along: relationship,
                owners: owners,
                matching: request,
                in: store,
                token,
                isCached: isCached
            )
            for (place, ids) in zip(places, found.members) { related.members[place] = ids }
            for (place, numbers) in zip(places, found.places) { related.places[place] = numbers }
            related.rows += found.rows
        }
        return related
    }

    private func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        in store: any PersistentStore,
        _ token: QueryGenerationToken?,
        isCached: Bool
    ) throws(GraphError) -> RelatedRows {
        func read() throws(GraphError) -> RelatedRows {
            try GraphError.wrapping {
                try store.related(
                    along: relationship,
                    owners: owners,
                    matching: request,
                    at: token?.generation(of: store)
                )
            }
        }
        guard isCached, token == nil, !store.keepsRowsInMemory else { return try read() }
        return try coordinator.rowCache.reading { () throws(GraphError) in
            let found = try read()
            return (found, found.rows)
        }
    }

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
        try coordinator.timings.fetches.timing(objects: \.rowCount) { () throws(GraphError) in
            try fetchFromStores(request)
        }
    }

    private func fetchFromStores(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult {
        try StoreCallback.checkReading(coordinator)
        let request = try ranked(request)
        let stores = try coordinator.stores(for: request)
        let token = try pinned()
        var answers: [StoreFetchResult] = []
        for store in stores where isVisible(store, in: token) { try answers.append(fetch(request, from: store, token)) }
        return answers.count == 1 ? answers[0] : StoreFetchResult(joining: answers, of: request.kind)
    }

    private func fetch(
        _ request: StoreFetchRequest,
        from store: any PersistentStore,
        _ token: QueryGenerationToken?
    ) throws(GraphError) -> StoreFetchResult {
        guard token == nil, !store.keepsRowsInMemory, request.kind == .snapshots else {
            return try GraphError.wrapping { try store.fetch(request, at: token?.generation(of: store)) }
        }
        return try coordinator.rowCache.reading { () throws(GraphError) in
            let answer = try GraphError.wrapping { try store.fetch(request, at: nil) }
            guard case .snapshots(let rows) = answer else { return (answer, []) }
            return (answer, rows)
        }
    }

    /// The rows aren't cached: those of a page are rarely asked for by ID.
    func rowPage(_ request: StoreFetchRequest) throws(GraphError) -> RowPage? {
        try StoreCallback.checkReading(coordinator)
        let request = try ranked(request)
        let stores = try coordinator.stores(for: request)
        let token = try pinned()
        guard stores.count == 1, isVisible(stores[0], in: token) else { return nil }
        let start = ContinuousClock.now
        let page = try GraphError.wrapping { try stores[0].page(request, at: token?.generation(of: stores[0])) }
        if let page {
            coordinator.timings.fetches.withLock { $0.add(ContinuousClock.now - start, objects: page.count) }
        }
        return page
    }

    /// The rows aren't cached either.
    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage? {
        try StoreCallback.checkReading(coordinator)
        let token = try pinned()
        guard let store = coordinator.store(owners.base.store), isVisible(store, in: token) else { return nil }
        let start = ContinuousClock.now
        let related = try GraphError.wrapping {
            try store.relatedPage(
                along: relationship,
                owners: owners,
                matching: request,
                at: token?.generation(of: store)
            )
        }
        if let related {
            let time = ContinuousClock.now - start
            coordinator.timings.relationshipFaults.withLock { $0.add(time, objects: related.rows.count) }
        }
        return related
    }

    /// Whether a store is visible: a store added after the generation isn't.
    func isVisible(_ store: any PersistentStore, in token: QueryGenerationToken?) -> Bool {
        token == nil || token?.generation(of: store) != nil
    }

    func spansStores(_ request: StoreFetchRequest) -> Bool { (try? coordinator.stores(for: request).count) ?? 0 > 1 }

    /// The positions of IDs by store, without those of no store.
    private func groupedByStore(_ objects: [ManagedObjectID]) throws(GraphError) -> [(any PersistentStore, [Int])] {
        var groups: [UUID: [Int]] = [:]
        for (place, objectID) in objects.enumerated() {
            if let identifier = objectID.storeIdentifier { groups[identifier, default: []].append(place) }
        }
        return try groups.map { identifier, places throws(GraphError) in (try store(identifier), places) }
    }

    func store(_ identifier: UUID) throws(GraphError) -> any PersistentStore {
        guard let store = coordinator.store(identifier) else { throw .unknownStore(identifier) }
        return store
    }
}
