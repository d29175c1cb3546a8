// SPDX-License-Identifier: Apache-2.0

// The store that keeps its content in memory, with or without a file.

public import FoundationEssentials
public import ObjectGraph
import ObjectModel
import Predicates
import Synchronization

/// A store in memory, for tests and temporary data.
///
///     try coordinator.add(InMemoryStore(model: model))
public typealias InMemoryStore = AtomicStore

/// A store that is entirely in memory. If it has a file, each save rewrites it.
///
///     try coordinator.add(AtomicStore(path: "Blog.xml", format: .xml, model: model))
///
/// No other process may write the file meanwhile: the next save would fail rather than overwrite the changes.
public final class AtomicStore: PersistentStore {
    public let identifier: UUID
    public let isReadOnly: Bool
    let model: ManagedObjectModel
    let derivations: Derivations
    let file: StoreFile?
    private let versionHashes: [String: VersionHash]
    let memory: Mutex<MemoryState>
    /// Held during a save; readers continue with the previous state. True once the store was migrated.
    let hasMigrated = Mutex(false)

    /// The current content of the store.
    struct MemoryState {
        var state = AtomicState()
        var metadata = StoreMetadata()
        var notes = AtomicNotes()
        var history: AtomicHistory
        var joint = AtomicJointSaves()
        var lastReference: Int64 = 0
        var numberUsage = NumberUsage()
        /// Whether the metadata differ from those of the file.
        var hasNewMetadata = false

        init(hasFile: Bool) { history = AtomicHistory(hasFile: hasFile) }
    }

    /// Creates a store without a file.
    ///
    /// - Parameter keepsHistory: Whether changes are recorded.
    public init(model: ManagedObjectModel, identifier: UUID = UUID(), keepsHistory: Bool = true) {
        self.model = model
        derivations = Derivations(model)
        self.identifier = identifier
        isReadOnly = false
        file = nil
        versionHashes = [:]
        var memory = MemoryState(hasFile: false)
        memory.history.isKept = keepsHistory
        self.memory = Mutex(memory)
    }

    /// Opens a store with a file. If the file doesn't exist, the store is empty, and the first save creates it.
    ///
    /// - Parameters:
    ///   - mustExist: Whether a missing file is an error; for a read-only store it always is.
    ///   - keepsHistory: Whether changes are recorded. If not, the next save removes the history that the file has.
    public convenience init(
        path: String,
        format: some AtomicFileFormat,
        model: ManagedObjectModel,
        isReadOnly: Bool = false,
        mustExist: Bool = false,
        keepsHistory: Bool = true
    ) throws(StoreFileError) {
        let file = try StoreFile(path: path, format: format)
        try self.init(file: file, model: model, isReadOnly: isReadOnly, mustExist: mustExist)
        memory.withLock { $0.history.isKept = keepsHistory }
    }

    /// The store in another version of its model.
    ///
    /// - Parameter hasFile: Whether it continues the file, or is only in memory.
    init(_ former: AtomicStore, in model: ManagedObjectModel, with memory: MemoryState, hasFile: Bool = true) {
        self.model = model
        derivations = Derivations(model)
        identifier = former.identifier
        file = hasFile ? former.file : nil
        versionHashes = model.model.versionHashes()
        isReadOnly = hasFile && former.isReadOnly
        self.memory = Mutex(memory)
    }

    init(file: StoreFile, model: ManagedObjectModel, isReadOnly: Bool, mustExist: Bool) throws(StoreFileError) {
        let left = isReadOnly ? nil : try file.recover(model)
        var memory = MemoryState(hasFile: true)
        let decided = left?.decided
        let content = if let decided { decided } else { try file.read(model, mustExist: mustExist || isReadOnly) }
        if let content {
            memory = try file.naming { () throws(StoreFileError) in try MemoryState(content, in: model) }
            identifier = content.head.identifier
        } else {
            identifier = left?.undecided?.identifier ?? UUID()
        }
        memory.joint.undecided = left?.undecided?.save
        self.model = model
        derivations = Derivations(model)
        self.file = file
        versionHashes = model.model.versionHashes()
        self.isReadOnly = isReadOnly
        self.memory = Mutex(memory)
    }
}

extension AtomicStore {
    public var keepsRowsInMemory: Bool { true }

    public var metadata: StoreMetadata {
        var metadata = memory.withLock { $0.metadata }
        metadata.values[StoreMetadata.typeKey] = .string(file?.format.storeType ?? "InMemory")
        metadata.values[StoreMetadata.identifierKey] = .string(identifier.uuidString)
        return metadata
    }

    /// Changes the metadata that the next save writes.
    public func setMetadata(_ metadata: StoreMetadata) throws {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        var metadata = metadata
        metadata.values[StoreMetadata.typeKey] = nil
        metadata.values[StoreMetadata.identifierKey] = nil
        metadata.values[AtomicNotes.key] = nil
        metadata.values[AtomicJointSaves.key] = nil
        metadata.values[AtomicHistory.key] = nil
        memory.withLock { memory in
            metadata.values[StoreMetadata.migrationsKey] = memory.metadata.values[StoreMetadata.migrationsKey]
            memory.metadata = metadata
            memory.hasNewMetadata = true
        }
    }

    public func reference(from text: String) -> ManagedObjectID.Reference? {
        Int64(text).map(ManagedObjectID.Reference.integer)
    }

    /// A number is unique among all entities: if several objects of another store share one, only one keeps it.
    public func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference] = [:]
    ) -> [ManagedObjectID] {
        let numbers = memory.withLock { $0.numbers(entities.count, keeping: references) }
        return zip(entities, numbers).map { entity, number in
            ManagedObjectID(entity: entity, store: identifier, reference: .integer(number))
        }
    }
}

extension AtomicStore {
    public func currentGeneration() -> any StoreGeneration {
        memory.withLock { AtomicGeneration($0.state, historyEnd: $0.history.end) }
    }

    public func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try content(at: generation).fetch(request, in: model)
    }

    public func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) -> [Snapshot?] {
        reading(generation) { state in objects.map { state.row(named: $0) } }
    }

    public func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) -> [[ManagedObjectID]] {
        reading(generation) { state in owners.map { state.members(of: relationship, owner: $0) } }
    }

    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        guard let request else { return reading(generation) { $0.related(along: relationship, owners) } }
        let content = content(at: generation)
        return try request.selection(from: content.state.related(along: relationship, owners)) {
            RowObject(snapshot: $0, generation: content)
        }
    }

    public func checkPlace() throws {
        guard !isReadOnly, let file else { return }
        try file.checkPlace()
        try checkDecided(file)
    }

    /// A running save may hold the lock for long.
    public func snapshotInMemory(of objectID: ManagedObjectID) -> Snapshot? {
        memory.withLockIfAvailable { $0.state.row(named: objectID) } ?? nil
    }

    private func content(at generation: (any StoreGeneration)?) -> AtomicGeneration {
        generation as? AtomicGeneration ?? AtomicGeneration(memory.withLock { $0.state })
    }

    /// Short reads hold the lock: a second reference to the state would make the next save copy it.
    private func reading<Result: Sendable>(
        _ generation: (any StoreGeneration)?,
        _ body: (AtomicState) -> Result
    ) -> Result {
        if let generation = generation as? AtomicGeneration { return body(generation.state) }
        return memory.withLock { body($0.state) }
    }
}

extension AtomicStore {
    public func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        var state = memory.withLock { $0.state }
        return try state.save(request, derivations)
    }

    public var keepsNotes: Bool { true }

    public func note(_ key: String) -> StoreNote? { memory.withLock { $0.notes[key] } }

    /// If the write fails, the file and the memory are unchanged.
    public func save(
        _ request: StoreSaveRequest,
        commit: Commit<[Snapshot]> = Commit()
    ) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        let result = try write(request, commit)
        if case .saved(let written) = result { commit.notify(of: written, as: historyEnd(at: nil).transaction) }
        return result
    }

    private func write(_ request: StoreSaveRequest, _ commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        try writing {
            guard let file else {
                return try memory.withLock { try $0.save(request, commit, in: identifier, derivations) }
            }
            if request.isEmpty, commit.note == nil, !memory.withLock(\.hasNewMetadata) { return .saved([]) }
            try finishCommit(of: file)
            var next = memory.withLock { $0 }
            let result = try next.save(request, commit, in: identifier, derivations)
            guard case .saved = result else { return result }
            try WorkLimits.check()
            try file.write(content(of: next), model: model)
            adopt(next)
            return result
        }
    }

    /// Runs a closure while nothing else is saved. Throws if the store was migrated.
    func writing<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        try hasMigrated.withLock { isMigrated in
            if isMigrated { throw StoreFileError.migrated(file?.path) }
            return try body()
        }
    }

    func content(of memory: MemoryState, preparing save: JointSave? = nil) -> StoreContent {
        let kept = memory.history.added(to: memory.notes.added(to: memory.metadata))
        let metadata = memory.joint.added(to: kept, preparing: save)
        let head = StoreHead(
            identifier: identifier,
            metadata: metadata,
            versionHashes: versionHashes,
            lastReference: memory.lastReference
        )
        return StoreContent(head: head, objects: memory.state.objects(in: model))
    }

    /// Publishes a written state. References and metadata may have changed meanwhile, and are kept.
    func adopt(_ next: MemoryState) {
        memory.withLock { memory in
            memory.state = next.state
            memory.notes = next.notes
            memory.history = next.history
            memory.joint = next.joint
            memory.numberUsage.adoptUses(of: next.numberUsage)
            if memory.metadata == next.metadata { memory.hasNewMetadata = false }
        }
    }
}

extension AtomicStore.MemoryState {
    init(_ content: StoreContent, in model: ManagedObjectModel) throws(StoreFileError) {
        state = try AtomicState(content, in: model)
        metadata = content.head.metadata
        history = AtomicHistory(extractingFrom: &metadata, of: content.head.identifier, in: model)
        notes = AtomicNotes(extractingFrom: &metadata)
        joint = AtomicJointSaves(extractingFrom: &metadata)
        lastReference = content.head.lastReference
    }

    /// Applies a save and its commit, or neither.
    mutating func save(
        _ request: StoreSaveRequest,
        _ commit: Commit<[Snapshot]>,
        in store: UUID,
        _ derivations: Derivations
    ) throws -> StoreSaveResult {
        var numbers = numberUsage
        try numbers.use(request)
        let former = state.rows(changedBy: request)
        let result = try write(request, commit.note, derivations)
        guard case .saved(let written) = result else { return result }
        numberUsage = numbers
        history.record(request, written: written, of: commit.origin, in: store, former: former)
        return result
    }

    private mutating func write(
        _ request: StoreSaveRequest,
        _ note: PendingNote<[Snapshot]>?,
        _ derivations: Derivations
    ) throws -> StoreSaveResult {
        guard let note else { return try state.save(request, derivations) }
        try notes.checkKey(of: note)
        // A second reference makes the save copy what it changes, so that a failure of the note can revert it.
        let former = state
        let result = try state.save(request, derivations)
        guard case .saved(let written) = result else { return result }
        do {
            notes.add(try note.note(of: written), expires: note.expires, keptSince: note.keptSince)
        } catch {
            state = former
            throw error
        }
        return result
    }
}
