// SPDX-License-Identifier: Apache-2.0

// What all contexts share: the model, the stores, the classes of objects.

import FoundationEssentials
import ObjectModel
import SourceText
import Synchronization

/// A model and its stores, one for a process, used by any number of contexts at once.
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
    private let attached = Mutex<[AttachedStore]>([])
    let live = LiveContexts()
    let observers = CoordinatorObservers()
    let rowCache: RowCache
    let changeCounters: ChangeCounters
    let timings = CoordinatorTimings()
    /// A number by chance, so that what is counted here is not taken for what another process counts, or counted before.
    public let epoch = UInt64.random(in: 1 ... .max)
    /// What each save and batch commits besides.
    let activeMarks = Mutex<[CommitMark]>([])
    /// Held by a save that is being written to several stores, or to one that takes one save at a time.
    let saving = Mutex<Void>(())

    /// A store, and the entities that it keeps.
    struct AttachedStore: Sendable {
        let store: any PersistentStore
        let entities: Set<Int>
    }

    /// - Parameters:
    ///   - classes: Those of objects with a class of their own. An entity without one has that of the entity above.
    ///   - rowCacheLimit: The bytes that rows may take which contexts share, of stores that don't keep theirs in memory.
    public init(model: ManagedObjectModel, classes: [ManagedObject.Type] = [], rowCacheLimit: Int = 64 << 20) {
        self.model = model
        rowCache = RowCache(limit: rowCacheLimit)
        changeCounters = ChangeCounters(model)
        let byName = Dictionary(classes.map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
        var resolved: [ManagedObject.Type] = []
        for entity in model.entities {
            let parent = entity.entity.parentName.flatMap(model.entity(named:)).map { resolved[$0.index] }
            resolved.append(byName[entity.name] ?? parent ?? ManagedObject.self)
        }
        self.classes = resolved
    }

    public var stores: [any PersistentStore] { attached.withLock { $0.map(\.store) } }

    /// Makes a store part of the coordinator.
    ///
    /// - Parameter configuration: The configuration of the model whose entities the store keeps; nil for all.
    public func add(_ store: any PersistentStore, configuration: String? = nil) throws(GraphError) {
        var entities = Set(model.entities.map(\.index))
        if let configuration {
            guard let known = model.model.configurations.first(where: { $0.name == configuration }) else {
                throw .unknownConfiguration(configuration, in: model.model)
            }
            entities = Set(known.entityNames.compactMap { model.entity(named: $0)?.index })
        }
        guard self.store(store.identifier) == nil else { throw .storeAddedTwice(store.identifier) }
        // Before it is read by anybody, so that nothing is missed that others write then.
        store.noticeOthers(for: self) { [weak self, identifier = store.identifier] in
            self?.takeInChanges(of: identifier)
        }
        let isNew = attached.withLock { stores in
            if stores.contains(where: { $0.store.identifier == store.identifier }) { return false }
            stores.append(AttachedStore(store: store, entities: entities))
            return true
        }
        guard isNew else { throw .storeAddedTwice(store.identifier) }
        resolveJointSaves()
        changeCounters.count(entities)
        observers.put { .storesDidChange(added: [store.identifier], removed: []) }
        observers.deliver()
    }

    /// Parts with a store. Objects that contexts have of it are found no more.
    public func remove(_ store: any PersistentStore) {
        let entities = entities(of: store.identifier)
        saving.withLock { _ in
            attached.withLock { stores in stores.removeAll { $0.store.identifier == store.identifier } }
            rowCache.removeAll()
        }
        changeCounters.count(entities)
        observers.put { .storesDidChange(added: [], removed: [store.identifier]) }
        observers.deliver()
    }

    /// Runs a closure with a context of its own, which ends with it. What was changed and not saved is gone then.
    public func withContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = ManagedObjectContext(model: model, source: StoreSource(coordinator: self))
        defer { context.end() }
        return try context.entered(body)
    }

    /// A context for longer work, which sees what others save meanwhile.
    public func liveContext() -> LiveContext { LiveContext(coordinator: self) }

    /// Has results of batches count contexts that aren't live just now, and merge what was saved when they are restored.
    package func count(absentContexts: Int) { live.absent.store(absentContexts, ordering: .relaxed) }

    /// The ID that a URI names; nil where it names no object of the coordinator's stores.
    ///
    /// Whether there is such an object is not looked at, unless the URI names an entity that has others below it: then the row
    /// is read, since it says which of them the object is of.
    public func objectID(forURI uri: String) -> ManagedObjectID? {
        guard let (entity, identifier, reference) = model.parts(ofURI: uri), let identifier,
            let store = store(identifier)
        else { return nil }
        guard let reference = store.reference(from: reference) else { return nil }
        let named = ManagedObjectID(entity: entity, store: identifier, reference: reference)
        guard entity.kinds.count > 1 else { return named }
        guard (try? StoreCallback.checkReading(self)) != nil else { return named }
        // A store that can't be read tells whoever uses the ID.
        let row = try? row(of: named, in: store)
        return row?.objectID ?? named
    }

    private func row(of objectID: ManagedObjectID, in store: any PersistentStore) throws -> Snapshot? {
        guard !store.keepsRowsInMemory else { return try store.snapshots(of: [objectID], at: nil)[0] }
        return try rowCache.rows(of: [objectID], staleness: nil) { missing throws(GraphError) in
            try GraphError.wrapping { try store.snapshots(of: missing, at: nil) }
        }[0]
    }

    /// The state that all stores are in now; a save that is being written is in it as a whole or not at all.
    public func currentQueryGeneration() throws(GraphError) -> QueryGenerationToken {
        try StoreCallback.checkReading(self)
        return try currentGeneration()
    }

    private func currentGeneration() throws(GraphError) -> QueryGenerationToken {
        try saving.withLock { _ throws(GraphError) in
            var generations: [UUID: any StoreGeneration] = [:]
            for store in stores {
                generations[store.identifier] = try GraphError.wrapping { try store.currentGeneration() }
            }
            return QueryGenerationToken(generations)
        }
    }

    /// Makes known what was written: first to the row cache, then to the contexts. The changes of a store are made known in
    /// the order in which they were made.
    ///
    /// - Returns: The number of live contexts that were told.
    @discardableResult
    func publish(_ changes: SavedChanges, of origin: SaveOrigin, except own: ContextInbox?) -> Int {
        guard !changes.isEmpty else { return 0 }
        rowCache.record(changes)
        changeCounters.count(changes, entities(of:))
        observers.put { .didSave(SavedObjectIDs(changes, origin)) }
        return live.tell(changes, except: own)
    }

    func objectClass(for entity: EntityDescription) -> ManagedObject.Type { classes[entity.index] }

    func store(_ identifier: UUID) -> (any PersistentStore)? {
        attached.withLock { $0.first { $0.store.identifier == identifier }?.store }
    }

    /// The places of the entities that a store keeps.
    func entities(of identifier: UUID) -> Set<Int> {
        attached.withLock { $0.first { $0.store.identifier == identifier }?.entities ?? [] }
    }

    /// Whether there can be objects of an entity.
    public func keeps(_ entity: EntityDescription) -> Bool { firstStore(of: entity) != nil }

    /// The first store that keeps objects of an entity.
    func firstStore(of entity: EntityDescription) -> UUID? {
        attached.withLock { $0.first { $0.entities.contains(entity.index) }?.store.identifier }
    }

    /// The stores that keep objects of an entity or of one below it.
    func stores(of kinds: Range<Int>) -> [any PersistentStore] {
        attached.withLock { $0.filter { !$0.entities.isDisjoint(with: kinds) }.map(\.store) }
    }

    /// The store that new objects of an entity go to: the first one that keeps them and can be written.
    func storeForInserting(_ entity: EntityDescription) throws(GraphError) -> any PersistentStore {
        let keeping = attached.withLock { $0.filter { $0.entities.contains(entity.index) }.map(\.store) }
        guard let store = keeping.first(where: { !$0.isReadOnly }) else {
            throw keeping.isEmpty ? .noStore(for: entity) : .readOnly(entity)
        }
        return store
    }
}

extension PersistentStoreCoordinator {
    /// A store that somebody wants new objects of an entity to go to.
    func store(_ identifier: UUID, forInserting entity: EntityDescription) throws(GraphError) -> any PersistentStore {
        guard let known = attached.withLock({ $0.first { $0.store.identifier == identifier } }) else {
            throw .unknownStore(identifier)
        }
        guard known.entities.contains(entity.index) else {
            throw GraphError(
                .invalidRequest,
                "The store \(identifier.uuidString) keeps no objects of \(entity.name).",
                hint: "The configuration that it was added with says which it keeps."
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
            "A store with the identifier \(identifier.uuidString) is part of the coordinator already.",
            hint: "A copied store file has the identifier of its original; give it another one."
        )
    }

    static func noStore(for entity: EntityDescription) -> GraphError {
        GraphError(
            .unknownStore,
            "No store keeps objects of \(entity.name).",
            hint: "The configurations that stores are opened for say which they keep."
        )
    }

    static func readOnly(_ entity: EntityDescription) -> GraphError {
        GraphError(.readOnly, "The store that keeps objects of \(entity.name) can't be written.")
    }
}
