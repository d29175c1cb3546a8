// SPDX-License-Identifier: Apache-2.0

// The one store behind all that hold their content in memory as a whole, with a file or without.

public import FoundationEssentials
public import ObjectGraph
import ObjectModel
import Predicates
import Synchronization

/// A store in memory, for tests and for what needs no keeping.
///
///     try coordinator.add(InMemoryStore(model: model))
public typealias InMemoryStore = AtomicStore

/// A store that is in memory as a whole, and in a file if it has one, which each save writes anew.
///
///     try coordinator.add(AtomicStore(path: "Blog.xml", format: .xml, model: model))
///
/// Nobody else may write the file meanwhile: the next save would put its own content in place.
public final class AtomicStore: PersistentStore {
    public let identifier: UUID
    public let isReadOnly: Bool
    private let model: ManagedObjectModel
    private let derivations: Derivations
    private let file: StoreFile?
    private let versionHashes: [String: VersionHash]
    private let held: Mutex<Held>
    /// Held by the one save that writes the file; readers go on with what was there before.
    private let writing = Mutex<Void>(())

    /// What the store has now.
    fileprivate struct Held {
        var state = AtomicState()
        var metadata = StoreMetadata()
        var notes = AtomicNotes()
        var lastReference: Int64 = 0
        /// Whether the metadata are others than those of the file.
        var hasNewMetadata = false
    }

    /// A store without a file.
    public init(model: ManagedObjectModel, identifier: UUID = UUID()) {
        self.model = model
        derivations = Derivations(model)
        self.identifier = identifier
        isReadOnly = false
        file = nil
        versionHashes = [:]
        held = Mutex(Held())
    }

    /// Opens the store of a file. Where there is none, the store is empty, and the first save makes the file.
    ///
    /// - Parameter mustExist: Whether a file that isn't there is an error; for a read-only store it always is.
    public convenience init(
        path: String,
        format: some AtomicFileFormat,
        model: ManagedObjectModel,
        isReadOnly: Bool = false,
        mustExist: Bool = false
    ) throws(StoreFileError) {
        let file = try StoreFile(path: path, format: format)
        try self.init(file: file, model: model, isReadOnly: isReadOnly, mustExist: mustExist)
    }

    init(file: StoreFile, model: ManagedObjectModel, isReadOnly: Bool, mustExist: Bool) throws(StoreFileError) {
        var held = Held()
        if let content = try file.read(model, mustExist: mustExist || isReadOnly) {
            held.state = try file.naming { () throws(StoreFileError) in try AtomicState(content, in: model) }
            held.metadata = content.head.metadata
            held.notes = AtomicNotes(taking: &held.metadata)
            held.lastReference = content.head.lastReference
            identifier = content.head.identifier
        } else {
            identifier = UUID()
        }
        self.model = model
        derivations = Derivations(model)
        self.file = file
        versionHashes = model.model.versionHashes()
        self.isReadOnly = isReadOnly
        self.held = Mutex(held)
    }
}

extension AtomicStore {
    public var keepsRowsInMemory: Bool { true }

    public var metadata: StoreMetadata {
        var metadata = held.withLock { $0.metadata }
        metadata.values[StoreMetadata.typeKey] = .string(file?.format.storeType ?? "InMemory")
        metadata.values[StoreMetadata.identifierKey] = .string(identifier.uuidString)
        return metadata
    }

    /// Changes what the next save writes of the store itself.
    public func setMetadata(_ metadata: StoreMetadata) throws {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        var metadata = metadata
        metadata.values[StoreMetadata.typeKey] = nil
        metadata.values[StoreMetadata.identifierKey] = nil
        metadata.values[AtomicNotes.key] = nil
        held.withLock { ($0.metadata, $0.hasNewMetadata) = (metadata, true) }
    }

    public func reference(from text: String) -> ManagedObjectID.Reference? {
        Int64(text).map(ManagedObjectID.Reference.integer)
    }

    public func permanentIDs(for entities: [EntityDescription]) -> [ManagedObjectID] {
        let first = held.withLock { held in
            defer { held.lastReference += Int64(entities.count) }
            return held.lastReference + 1
        }
        return entities.enumerated().map { offset, entity in
            ManagedObjectID(entity: entity, store: identifier, reference: .integer(first + Int64(offset)))
        }
    }
}

extension AtomicStore {
    public func currentGeneration() -> any StoreGeneration { content(at: nil) }

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
        at generation: (any StoreGeneration)?
    ) -> RelatedRows {
        reading(generation) { state in
            let members = owners.map { state.members(of: relationship, owner: $0) }
            let rows = OrderedMembers(members.joined()).members.compactMap { state.rows[$0] }
            return RelatedRows(members: members, rows: rows)
        }
    }

    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        let content = content(at: generation)
        let all = related(along: relationship, owners: owners, at: content)
        return try request.selection(from: all) { RowObject(snapshot: $0, generation: content) }
    }

    /// A save that is being done has the lock for as long as it takes.
    public func snapshotInMemory(of objectID: ManagedObjectID) -> Snapshot? {
        held.withLockIfAvailable { $0.state.row(named: objectID) } ?? nil
    }

    private func content(at generation: (any StoreGeneration)?) -> AtomicGeneration {
        generation as? AtomicGeneration ?? AtomicGeneration(held.withLock { $0.state })
    }

    /// Short reads hold the lock: a second reference to the state would make the next save copy it.
    private func reading<Result: Sendable>(
        _ generation: (any StoreGeneration)?,
        _ body: (AtomicState) -> Result
    ) -> Result {
        if let generation = generation as? AtomicGeneration { return body(generation.state) }
        return held.withLock { body($0.state) }
    }
}

extension AtomicStore {
    public func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        var state = held.withLock { $0.state }
        return try state.save(request, in: model, derivations)
    }

    public func save(_ request: StoreSaveRequest) throws -> StoreSaveResult { try save(request, nil) }

    public var keepsNotes: Bool { true }

    public func note(_ key: String) -> StoreNote? { held.withLock { $0.notes[key] } }

    public func save(
        _ request: StoreSaveRequest,
        noting note: PendingNote<[Snapshot]>,
        telling tell: @escaping @Sendable ([Snapshot]) -> Void
    ) throws -> StoreSaveResult {
        let result = try save(request, note)
        if case .saved(let written) = result { tell(written) }
        return result
    }

    /// A failed write leaves the file and the memory as they were.
    private func save(_ request: StoreSaveRequest, _ note: PendingNote<[Snapshot]>?) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        guard let file else { return try held.withLock { try $0.save(request, note, in: model, derivations) } }
        return try writing.withLock { _ in
            var next = held.withLock { $0 }
            if request.isEmpty, !next.hasNewMetadata, note == nil { return .saved([]) }
            let result = try next.save(request, note, in: model, derivations)
            guard case .saved = result else { return result }
            try WorkLimits.check()
            let head = StoreHead(
                identifier: identifier,
                metadata: next.notes.added(to: next.metadata),
                versionHashes: versionHashes,
                lastReference: next.lastReference
            )
            try file.write(StoreContent(head: head, objects: next.state.objects(in: model)), model)
            // References and metadata may have been changed meanwhile; they are not the save's.
            held.withLock { held in
                (held.state, held.notes) = (next.state, next.notes)
                if held.metadata == next.metadata { held.hasNewMetadata = false }
            }
            return result
        }
    }
}

extension AtomicStore.Held {
    /// Does a save with its note, or neither.
    fileprivate mutating func save(
        _ request: StoreSaveRequest,
        _ note: PendingNote<[Snapshot]>?,
        in model: ManagedObjectModel,
        _ derivations: Derivations
    ) throws -> StoreSaveResult {
        guard let note else { return try state.save(request, in: model, derivations) }
        try notes.checkKey(of: note)
        // A second reference has what is changed copied, so that it can be taken back where no note comes of it.
        let former = state
        let result = try state.save(request, in: model, derivations)
        guard case .saved(let written) = result else { return result }
        do {
            notes.add(try note.note(of: written), keptSince: note.keptSince)
        } catch {
            state = former
            throw error
        }
        return result
    }
}
