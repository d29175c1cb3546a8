// SPDX-License-Identifier: Apache-2.0

// The stores of a coordinator as a single source for a context.

import Basics
import FoundationEssentials
import Predicates
import SourceText
import Synchronization

/// The connection of a root context, or of a `CoordinatorReader`, to the stores.
final class StoreSource: ObjectSource {
    let coordinator: PersistentStoreCoordinator
    /// Receives what others have saved, or nil for a context that doesn't merge.
    private let inbox: ContextInbox?
    private var generation = QueryGeneration.unpinned

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

    /// The positions of IDs by store, without those of no store.
    private func groupedByStore(_ objects: [ManagedObjectID]) throws(GraphError) -> [(any PersistentStore, [Int])] {
        var groups: [UUID: [Int]] = [:]
        for (place, objectID) in objects.enumerated() {
            if let identifier = objectID.storeIdentifier { groups[identifier, default: []].append(place) }
        }
        return try groups.map { identifier, places throws(GraphError) in (try store(identifier), places) }
    }

    private func store(_ identifier: UUID) throws(GraphError) -> any PersistentStore {
        guard let store = coordinator.store(identifier) else { throw .unknownStore(identifier) }
        return store
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

extension StoreSource {
    var queryGenerationToken: QueryGenerationToken? {
        if case .token(let token) = generation { token } else { nil }
    }

    func setQueryGeneration(_ generation: QueryGeneration) { self.generation = generation }

    /// The state read at present, for repeated reads of the same state.
    func currentState() throws(GraphError) -> QueryGenerationToken {
        if let token = try pinned() { return token }
        return try coordinator.currentQueryGeneration()
    }

    /// Runs a closure that reads a state.
    func reading<Result>(
        _ state: QueryGenerationToken,
        _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let chosen = generation
        generation = .token(state)
        defer { generation = chosen }
        return try body()
    }

    func advanceQueryGeneration() {
        if case .token = generation { generation = .current }
    }

    /// The generation to read, or nil for the latest.
    func pinned() throws(GraphError) -> QueryGenerationToken? {
        switch generation {
        case .unpinned: return nil
        case .token(let token): return token
        case .current:
            let token = try coordinator.currentQueryGeneration()
            generation = .token(token)
            return token
        }
    }
}

extension GraphError {
    /// Runs a call to a store and wraps its errors, after checking the limits.
    static func wrapping<Result>(_ body: () throws -> Result) throws(GraphError) -> Result {
        try WorkLimits.check()
        do {
            return try body()
        } catch {
            throw .ofStore(error)
        }
    }

    /// The error of a store as an error of the engine.
    static func ofStore(_ error: any Error) -> GraphError {
        if let error = error as? GraphError { return error }
        if let error = error as? EvaluationError { return .evaluation(error) }
        let code = (error as? any CodedStoreError)?.graphCode ?? .store
        var wrapped = GraphError(code, "The store failed: \(error)".asSentenceEnd)
        wrapped.underlying = error
        return wrapped
    }

    static func unknownStore(_ identifier: UUID) -> GraphError {
        GraphError(.unknownStore, "The store \(identifier.uuidString) is not part of the coordinator.")
    }

    static func wrongIDs(of store: any PersistentStore) -> GraphError {
        GraphError(.store, "The store \(store.identifier.uuidString) didn't return a distinct ID for each new object.")
    }

    static func incompleteSave(written: [UUID], failed: UUID, _ reason: GraphError) -> GraphError {
        let names = written.map(\.uuidString).joined(separator: ", ")
        var error = GraphError(
            .incompleteSave,
            "The store \(failed.uuidString) couldn't be written after \(names): \(reason.message)",
            hint:
                "Reset the context and fetch again; saving it again would insert objects twice. A store that prepares saves has "
                + "its part in a record, and writes it before anything else."
        )
        error.underlying = reason
        return error
    }
}
