// SPDX-License-Identifier: Apache-2.0

// What all contexts share: the model, the stores, and the classes of objects.

import Basics
import FoundationEssentials
import ObjectModel
import SourceText
import Synchronization

/// A model and its stores, shared by any number of concurrent contexts of a process.
///
///     let coordinator = PersistentStoreCoordinator(model: model, classes: [Post.self])
///     try coordinator.add(store)
///     let count = try coordinator.withContext { context in
///         try context.insert(Post.self).title = "Faults"
///         try context.save()
///         return try context.count(FetchRequest("Post"))
///     }
public final class PersistentStoreCoordinator: Sendable {
    public let model: ManagedObjectModel
    private let classes: [ManagedObject.Type]
    let attached = Mutex<[AttachedStore]>([])
    let live = LiveContexts()
    let observers = CoordinatorObservers()
    let commitObservers = CommitObservers()
    let rowCache: RowCache
    let changeCounters: ChangeCounters
    let timings = CoordinatorTimings()
    /// A random number that distinguishes this process's counts from those of others.
    public let epoch = UInt64.random(in: 1 ... .max)
    private let ending = Atomic(false)
    /// Held by a save into several stores, or into one that accepts only one save at a time.
    let saving = Mutex<Void>(())

    /// A store and the entities that it keeps.
    struct AttachedStore: Sendable {
        let store: any PersistentStore
        let entities: Set<Int>
    }

    /// - Parameters:
    ///   - classes: The custom classes of objects. An entity without one inherits that of its superentity.
    ///   - rowCacheLimit: The number of bytes for cached rows of stores that don't keep rows in memory.
    public init(model: ManagedObjectModel, classes: [ManagedObject.Type] = [], rowCacheLimit: Int = 64 << 20) {
        self.model = model
        rowCache = RowCache(limit: rowCacheLimit)
        changeCounters = ChangeCounters(model)
        let byName = Dictionary(keepingFirst: classes.map { ($0.entityName, $0) })
        var resolved: [ManagedObject.Type] = []
        for entity in model.entities {
            let parent = entity.entity.parentName.flatMap(model.entity(named:)).map { resolved[$0.index] }
            resolved.append(byName[entity.name] ?? parent ?? ManagedObject.self)
        }
        self.classes = resolved
    }

    public var stores: [any PersistentStore] { attached.withLock { $0.map(\.store) } }

    /// Whether another coordinator is about to continue its stores, so that held states can't be replaced by later ones.
    package var isEnding: Bool {
        get { ending.load(ordering: .relaxed) }
        set { ending.store(newValue, ordering: .relaxed) }
    }

    /// Adds a store to the coordinator.
    ///
    /// - Parameter configuration: The configuration of the model whose entities the store keeps, or nil for all.
    public func add(_ store: any PersistentStore, configuration: String? = nil) throws(GraphError) {
        var entities = Set(model.entities.map(\.index))
        if let configuration {
            guard let known = model.model.configurations.first(where: { $0.name == configuration }) else {
                throw .unknownConfiguration(configuration, in: model.model)
            }
            entities = Set(known.entityNames.compactMap { model.entity(named: $0)?.index })
        }
        guard self.store(store.identifier) == nil else { throw .storeAddedTwice(store.identifier) }
        // Registered before the first read, so that no write of another program is missed.
        store.observeOtherWriters(for: self) { [weak self, identifier = store.identifier] writes in
            self?.adopt(writes, in: identifier)
        }
        let isNew = attached.withLock { stores in
            if stores.contains(where: { $0.store.identifier == store.identifier }) { return false }
            stores.append(AttachedStore(store: store, entities: entities))
            return true
        }
        guard isNew else { throw .storeAddedTwice(store.identifier) }
        resolveJointSaves()
        changeCounters.count(entities)
        observers.enqueue { .storesDidChange(added: [store.identifier], removed: []) }
        observers.deliver()
    }

    /// Removes a store. Objects of it that contexts have can't be read any more.
    public func remove(_ store: any PersistentStore) {
        let entities = entities(of: store.identifier)
        saving.withLock { _ in
            attached.withLock { stores in stores.removeAll { $0.store.identifier == store.identifier } }
            rowCache.removeAll()
        }
        changeCounters.count(entities)
        observers.enqueue { .storesDidChange(added: [], removed: [store.identifier]) }
        observers.deliver()
    }

    /// Runs a closure with a new context, which ends with it. Unsaved changes are discarded.
    public func withContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        noticeOtherWriters()
        let context = ManagedObjectContext(model: model, source: StoreSource(coordinator: self))
        defer { context.end() }
        return try context.performAndProcess(body)
    }

    /// A context for longer work, which merges what others save.
    public func liveContext() -> LiveContext { LiveContext(coordinator: self) }

    /// Makes the results of batches count unloaded contexts; they merge missed saves when loaded.
    package func count(absentContexts: Int) { live.absent.store(absentContexts, ordering: .relaxed) }

    /// The ID that a URI names, or nil if it isn't of the coordinator's stores.
    ///
    /// The object need not exist. Its row is read only if the entity has subentities, since the row determines which
    /// one it is of.
    public func objectID(forURI uri: String) -> ManagedObjectID? {
        guard let (entity, identifier, reference) = model.parts(ofURI: uri), let identifier,
            let store = store(identifier)
        else { return nil }
        guard let reference = store.reference(from: reference) else { return nil }
        let named = ManagedObjectID(entity: entity, store: identifier, reference: reference)
        guard entity.kinds.count > 1 else { return named }
        guard (try? StoreCallback.checkReading(self)) != nil else { return named }
        // If the store can't be read, using the ID throws.
        let row = try? row(of: named, in: store)
        return row?.objectID ?? named
    }

    private func row(of objectID: ManagedObjectID, in store: any PersistentStore) throws -> Snapshot? {
        guard !store.keepsRowsInMemory else { return try store.snapshots(of: [objectID], at: nil)[0] }
        return try rowCache.rows(of: [objectID], staleness: nil) { missing throws(GraphError) in
            try GraphError.wrapping { try store.snapshots(of: missing, at: nil) }
        }[0]
    }

    /// The present state of all stores, which contains a running save as a whole or not at all.
    public func currentQueryGeneration() throws(GraphError) -> QueryGenerationToken {
        try StoreCallback.checkReading(self)
        return try currentGeneration()
    }

    private func currentGeneration() throws(GraphError) -> QueryGenerationToken {
        try StoreCallback.checkPinning(self)
        let stores = stores
        // Several stores must be in the same state: none is written between them.
        guard stores.count > 1 else { return try generation(of: stores) }
        return try saving.withLock { _ throws(GraphError) in try generation(of: self.stores) }
    }

    private func generation(of stores: [any PersistentStore]) throws(GraphError) -> QueryGenerationToken {
        var generations: [UUID: any StoreGeneration] = [:]
        for store in stores {
            generations[store.identifier] = try GraphError.wrapping { try store.currentGeneration() }
        }
        return QueryGenerationToken(generations)
    }

    /// Publishes written changes, first to the row cache, then to the contexts. The changes of a store are published in
    /// commit order.
    ///
    /// - Returns: The number of live contexts that were notified.
    @discardableResult
    func publish(
        _ changes: SavedChanges,
        of origin: SaveOrigin,
        at position: CommitPosition,
        except own: ContextInbox?
    ) -> Int {
        guard !changes.isEmpty else { return 0 }
        rowCache.record(changes)
        changeCounters.count(changes, entities(of:))
        commitObservers.notify(of: changes, at: position)
        observers.enqueue { .didSave(SavedObjectIDs(changes, from: origin)) }
        return live.notify(of: changes, except: own)
    }

    func objectClass(for entity: EntityDescription) -> ManagedObject.Type { classes[entity.index] }

    func store(_ identifier: UUID) -> (any PersistentStore)? {
        attached.withLock { $0.first { $0.store.identifier == identifier }?.store }
    }

    /// The indices of the entities that a store keeps.
    func entities(of identifier: UUID) -> Set<Int> {
        attached.withLock { $0.first { $0.store.identifier == identifier }?.entities ?? [] }
    }

    /// Whether a store keeps objects of an entity.
    public func keeps(_ entity: EntityDescription) -> Bool { firstStore(of: entity) != nil }

    /// Whether all objects of an entity and its subentities are in one store.
    package func keepsInOneStore(_ entity: EntityDescription) -> Bool { stores(of: entity.kinds).count == 1 }

    /// The first store that keeps objects of an entity.
    func firstStore(of entity: EntityDescription) -> UUID? {
        attached.withLock { $0.first { $0.entities.contains(entity.index) }?.store.identifier }
    }

    /// The stores that keep objects of any of some entities.
    func stores(of kinds: Range<Int>) -> [any PersistentStore] {
        attached.withLock { $0.filter { !$0.entities.isDisjoint(with: kinds) }.map(\.store) }
    }

    /// The store for new objects of an entity: the first writable one that keeps it.
    package func storeForInserting(_ entity: EntityDescription) throws(GraphError) -> any PersistentStore {
        let keeping = attached.withLock { $0.filter { $0.entities.contains(entity.index) }.map(\.store) }
        guard let store = keeping.first(where: { !$0.isReadOnly }) else {
            throw keeping.isEmpty ? .noStore(for: entity) : .readOnly(entity)
        }
        return store
    }
}

extension PersistentStoreCoordinator {
    /// The store that new objects of an entity are assigned to; throws if it doesn't keep them.
    func store(_ identifier: UUID, forInserting entity: EntityDescription) throws(GraphError) -> any PersistentStore {
        guard let known = attached.withLock({ $0.first { $0.store.identifier == identifier } }) else {
            throw .unknownStore(identifier)
        }
        guard known.entities.contains(entity.index) else {
            throw GraphError(
                .invalidRequest,
                "The store \(identifier.uuidString) doesn't store \(entity.name).",
                hint: "Its configuration determines its entities."
            )
        }
        guard !known.store.isReadOnly else { throw .readOnly(entity) }
        return known.store
    }
}

extension GraphError {
    static func unknownConfiguration(_ name: String, in model: Model) -> GraphError {
        let names = model.configurations.map(\.name)
        return GraphError(
            .unknownName,
            "The model has no configuration “\(name)”.",
            hint: Spelling.hint(for: name, among: names) ?? "It has \(names.joined(separator: ", "))."
        )
    }

    static func storeAddedTwice(_ identifier: UUID) -> GraphError {
        GraphError(
            .invalidRequest,
            "The coordinator already has a store with the identifier \(identifier.uuidString).",
            hint: "A copied store file has the identifier of its original; give it another one."
        )
    }

    static func noStore(for entity: EntityDescription) -> GraphError {
        GraphError(
            .unknownStore,
            "No store is configured for \(entity.name).",
            hint: "The configurations of the stores determine their entities."
        )
    }

    static func readOnly(_ entity: EntityDescription) -> GraphError {
        GraphError(.readOnly, "The store of \(entity.name) is read-only.")
    }
}
