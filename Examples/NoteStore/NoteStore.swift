// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import Outcrop
import Synchronization

/// A store that keeps each object in a JSON file, `<folder>/<Entity>/<reference>.json`.
///
///     try coordinator.add(NoteStore(folder: "Notes", model: model))
///
/// An index of the objects, their relationships and unique values is kept in memory; rows are read on demand. Other
/// processes must not change the folder while the store is open.
public final class NoteStore: PersistentStore {
    public let identifier: UUID
    public let isReadOnly: Bool
    private let model: ManagedObjectModel
    private let derivations: Derivations
    private let files: NoteFiles
    /// Locked for the whole of each call, so that each sees one state. A store for many readers would allow concurrent
    /// reads.
    private let state: Mutex<State>

    private struct State {
        var index: NoteIndex
        var metadata: StoreMetadata
        /// The generations that may still read rows that a save replaces.
        var generations: [HeldGeneration] = []
    }

    private struct HeldGeneration {
        weak var generation: NoteGeneration?
    }

    /// Opens the store in a folder, and creates it if it is missing and not read-only.
    public init(folder: String, model: ManagedObjectModel, isReadOnly: Bool = false) throws {
        let head = try NoteHead.open(folder, isReadOnly: isReadOnly)
        identifier = head.identifier
        files = NoteFiles(folder: folder, store: head.identifier, model: model)
        try files.recover(isReadOnly: isReadOnly)
        let metadata = StoreMetadata(values: head.metadata.mapValues(\.value))
        state = Mutex(State(index: try files.index(), metadata: metadata))
        self.model = model
        self.isReadOnly = isReadOnly
        derivations = Derivations(model)
    }
}

// Metadata and references.
extension NoteStore {
    public var metadata: StoreMetadata {
        var metadata = state.withLock(\.metadata)
        metadata.values[StoreMetadata.typeKey] = "Notes"
        metadata.values[StoreMetadata.identifierKey] = .string(identifier.uuidString)
        return metadata
    }

    public func setMetadata(_ metadata: StoreMetadata) throws {
        guard !isReadOnly else {
            throw NoteStoreError(.readOnly, "The store was opened read-only.", files.folder)
        }
        var metadata = metadata
        metadata.values[StoreMetadata.typeKey] = nil
        metadata.values[StoreMetadata.identifierKey] = nil
        let head = NoteHead(identifier: identifier, metadata: metadata.values.mapValues(StoredValue.init))
        try state.withLock { state in
            try head.write(to: files.folder)
            state.metadata = metadata
        }
    }

    /// Accepts valid file names. This check protects against text from outside, such as `../secret`.
    public func reference(from text: String) -> ManagedObjectID.Reference? {
        NoteFiles.isReference(text) ? .text(text) : nil
    }

    /// New objects have UUIDs as references, and none keeps another. Files that were added by hand can have any name.
    public func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) -> [ManagedObjectID] {
        entities.map { entity in
            ManagedObjectID(entity: entity, store: identifier, reference: .text(UUID().uuidString.lowercased()))
        }
    }
}

// Reading.
extension NoteStore {
    public func currentGeneration() throws -> any StoreGeneration {
        state.withLock { state in
            let generation = NoteGeneration(state.index)
            state.generations = state.generations.filter { $0.generation != nil } + [.init(generation: generation)]
            return generation
        }
    }

    public func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try reading(generation) { view in
            let entities = request.includesSubentities ? Array(model.kinds(of: request.entity)) : [request.entity]
            let objects = entities.flatMap(view.index.objects).map { NoteObject(objectID: $0, view: view) }
            if case .table(let table) = request.kind { return .table(try request.table(table, of: objects)) }
            let found = try request.objects(among: objects).map(\.objectID)
            return switch request.kind {
            case .objectIDs: .objectIDs(found)
            case .count: .count(found.count)
            case .snapshots, .table: .snapshots(try found.compactMap(view.snapshot))
            }
        }
    }

    public func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try reading(generation) { view in try objects.map(view.snapshot) }
    }

    public func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try reading(generation) { view in owners.map { view.index.members(of: relationship, owner: $0) } }
    }

    private func reading<Result: Sendable>(
        _ generation: (any StoreGeneration)?,
        _ body: (NoteView) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            // A committed save that is incomplete on disk belongs to the current state.
            if !isReadOnly { try files.finishCommit() }
            guard let generation = generation as? NoteGeneration else { return try body(NoteView(state.index, files)) }
            return try body(NoteView(generation.index, files, rows: generation.replaced.withLock(\.self)))
        }
    }
}

// Writing.
extension NoteStore {
    public func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        guard !isReadOnly else {
            throw NoteStoreError(.readOnly, "The store was opened read-only.", files.folder)
        }
        let result = try write(request)
        // Observers may call the store immediately, so its lock must be released.
        if case .saved(let rows) = result { commit.notify(of: rows) }
        return result
    }

    private func write(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        try state.withLock { state in
            try files.finishCommit()
            // The view's index is a copy, so an error leaves the store's index unchanged.
            let view = NoteView(state.index, files)
            let result = try view.save(request, derivations)
            guard case .saved = result, !view.index.touched.isEmpty else { return result }
            try keepForGenerations(view.index.touched, state)
            try files.commit(view)
            view.index.touched = []
            state.index = view.index
            return result
        }
    }

    /// Stores the rows to be replaced in the generations that may still read them.
    private func keepForGenerations(_ touched: Set<ManagedObjectID>, _ state: borrowing State) throws {
        let generations = state.generations.compactMap(\.generation)
        guard !generations.isEmpty else { return }
        let present = NoteView(state.index, files)
        let rows = try touched.compactMap(present.snapshot)
        for generation in generations {
            generation.replaced.withLock { replaced in
                for row in rows where replaced[row.objectID] == nil { replaced[row.objectID] = row }
            }
        }
    }
}

/// A readable past state: its index, and the rows that were replaced since.
final class NoteGeneration: StoreGeneration {
    let index: NoteIndex
    let replaced = Mutex<[ManagedObjectID: Snapshot]>([:])

    init(_ index: NoteIndex) {
        self.index = index
    }
}
