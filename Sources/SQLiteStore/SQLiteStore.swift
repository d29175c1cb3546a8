// SPDX-License-Identifier: Apache-2.0

// The SQLite store: opening, metadata, reading and writing through the store protocol.

public import FoundationEssentials
public import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization

/// A store in a SQLite file with Core Data's layout.
///
///     try coordinator.add(SQLiteStore(path: "Blog.sqlite", model: model))
///
/// 1. A call reads one state of the file: that of its generation, or else the last one committed when the call began.
/// 2. A save is one transaction and is durable when the call returns. Saves of several threads share a transaction, but
///    succeed or fail independently.
/// 3. The store doesn't change anything in the file that it doesn't know.
public final class SQLiteStore: PersistentStore {
    public let identifier: UUID
    public let isReadOnly: Bool
    public let path: String
    /// The configuration that selects the store's entities, or nil for all entities.
    public let configuration: String?
    let options: SQLiteStoreOptions
    let tables: StoreTables
    let database: Database
    let keys: KeyAllocator
    let watch: StoreWatch
    let follower: HistoryFollower
    let longReads: LongReads
    let activity = StoreActivity()
    /// The metadata as last read, used when they can't be read: a change of some entries must not lose the others.
    private let knownMetadata: Mutex<[String: Value]>
    /// The number of migrations before it was opened.
    let knownMigrations: Int64
    let background = BackgroundWork()
    let fileNotices = Mutex(StoreFileNotices())
    let unfinishedSaves = UnfinishedSaves()

    /// Opens the store of a file, and creates the file if it is missing.
    public convenience init(
        path: String,
        model: ManagedObjectModel,
        options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws {
        try self.init(StoreOpening(path: path, options: options), model)
    }

    /// Opens a store with the model that it carries, which becomes `model`.
    public convenience init(path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()) throws {
        try self.init(StoreOpening(path: path, options: options), nil)
    }

    init(_ opening: StoreOpening, _ model: ManagedObjectModel?) throws {
        let opened = try opening.open(model)
        path = opening.path
        options = opening.options
        isReadOnly = opening.options.isReadOnly
        identifier = opened.tables.identifier
        tables = opened.tables
        configuration = opened.configuration
        database = opened.database
        keys = KeyAllocator(opened.database, opened.tables.history)
        longReads = LongReads(path: opening.path)
        do {
            let metadata = try opened.database.read { try MetadataRow($0).metadata.values }
            knownMetadata = Mutex(metadata)
            knownMigrations = StoreMetadata(values: metadata).migrationCount
        } catch {
            throw StoreError.wrapping(error, opening.path)
        }
        watch = StoreWatch(opened.database, interval: options.watchInterval)
        follower = HistoryFollower(opened.tables, opened.database)
        watch.onOtherWrites { [follower] in follower.writesOfOthers() }
        try createMissingIndexes()
        try prepareSearch()
        finishSavesOfOthers()
        watch.onFileStatus { [weak self] status in self?.handle(status) }
        collectOrphansInBackground()
    }

    /// Ends background work, so that the file is closed with the store.
    deinit {
        background.end()
        watch.end()
    }
}

extension SQLiteStore {
    public var model: ManagedObjectModel { tables.model }
}

/// The options of a store.
public struct SQLiteStoreOptions: Hashable, Sendable {
    public var isReadOnly = false
    /// Whether a missing file is an error. For a read-only store it always is.
    public var mustExist = false
    /// The configuration that selects the store's entities, or nil for all entities.
    public var configuration: String?
    /// Whether a file that was created for a configuration is opened with that configuration if `configuration` is nil.
    public var findsConfiguration = false
    /// Whether a save survives power loss as soon as the call returns.
    ///
    /// If false, a save survives the end of the process immediately, and power loss a moment later.
    public var isDurable = true
    /// The maximum number of concurrent reads.
    public var readerLimit = 8
    /// The maximum number of query generations held at a time.
    public var generationLimit = 64
    /// How long to wait for locks of other processes, and for a query generation if `generationLimit` is reached.
    public var busyTimeout: Duration = .seconds(5)
    /// How often the store checks whether other processes have written to the file, at most once a
    /// millisecond; nil for never.
    public var watchInterval: Duration? = .seconds(1)
    /// Whether a file that replaces the store's file is opened, if it is a store with the same identifier and layout,
    /// such as a backup.
    ///
    /// Otherwise saving fails after the replacement.
    public var reopensReplacedFile = false
    /// The size of each connection's page cache, in KiB.
    public var cacheSize = 8 * 1024
    /// The maximum number of objects that a fetch evaluates in memory if SQL can't express it.
    public var evaluationLimit = 100_000
    /// The maximum size in bytes of a value that is stored in its row, for attributes that allow external storage.
    /// Larger values are stored in separate files.
    public var externalStorageThreshold = 100 * 1024
    public var history = HistoryMode.automatic
    /// The name of a SQLite VFS; nil for the default.
    package var fileSystem: String?

    public init() {}
}

// MARK: Metadata and IDs

extension SQLiteStore {
    public var metadata: StoreMetadata {
        let stored = try? database.read { connection in try MetadataRow(connection).metadata.values }
        var values = knownMetadata.withLock { known in
            if let stored { known = stored }
            return known
        }
        values[StoreMetadata.typeKey] = .string(StoredMetadata.storeType)
        values[StoreMetadata.identifierKey] = .string(identifier.uuidString)
        return StoreMetadata(values: values)
    }

    /// Replaces the metadata immediately, in a transaction of its own.
    public func setMetadata(_ metadata: StoreMetadata) throws {
        try writing { [tables] connection in
            try tables.history?.mark(connection)
            var head = try MetadataRow(connection)
            head.metadata.replace(by: metadata.values)
            try head.write(connection)
        }
    }

    public func reference(from text: String) -> ManagedObjectID.Reference? {
        Int64(text).map(ManagedObjectID.Reference.integer)
    }

    public func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference] = [:]
    ) throws -> [ManagedObjectID] {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        return try naming {
            guard references.isEmpty else {
                // This only marks the keys as free, in a write of its own; the save that uses the keys takes them.
                return try database.writeWithinLimits { [tables, keys] connection in
                    try tables.history?.mark(connection)
                    let given = BatchKeys(connection, tables, keys)
                    let objectIDs = try given.permanentIDs(for: entities, keeping: references)
                    try given.write()
                    return objectIDs
                }
            }
            var counts: [Int64: Int] = [:]
            let roots = try entities.map { try tables.rootNumber(of: $0) }
            for root in roots { counts[root, default: 0] += 1 }
            var next = try counts.reduce(into: [Int64: Int64]()) { next, count in
                next[count.key] = try keys.keys(count.value, root: count.key).lowerBound
            }
            return zip(entities, roots).map { entity, root in
                let key = next[root, default: 0]
                next[root] = key + 1
                return ManagedObjectID(entity: entity, store: identifier, reference: .integer(key))
            }
        }
    }
}

// MARK: Reading

extension SQLiteStore {
    public func currentGeneration() throws -> any StoreGeneration {
        let pin = tables.files?.pin()
        return try naming {
            let patience = ContinuousClock.now + options.busyTimeout
            let deadline = min(WorkLimits.current?.deadline ?? patience, patience)
            return SQLiteGeneration(snapshot: try database.snapshot(deadline: deadline), pin: pin)
        }
    }

    public func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        // Held states can't be indexed any more.
        if request.search != nil, generation == nil { indexChangesOfOthers(request.entity) }
        return try activity.fetch {
            try reading(generation) { [limit = options.evaluationLimit, longReads] in
                try StoreFetch(request, $0, evaluationLimit: limit, longReads).result()
            }
        }
    }

    /// Rows with values in files have no page, since these are read only when they are used.
    public func page(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> RowPage? {
        guard let rows = tables.rowReader(of: request.entity), !rows.hasFiles else { return nil }
        if request.search != nil, generation == nil { indexChangesOfOthers(request.entity) }
        return try activity.page {
            try reading(generation) { [limit = options.evaluationLimit, longReads] in
                try StoreFetch(request, $0, evaluationLimit: limit, longReads).page()
            }
        }
    }

    public func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        // A single object is read by one statement.
        try activity.faults(objects) {
            try reading(generation, inTransaction: objects.count > 1) { try $0.snapshots(of: objects) }
        }
    }

    public func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try activity.members(of: relationship, owners) {
            try reading(generation) { try $0.members(of: relationship, owners: owners) }
        }
    }

    public func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        try activity.related(along: relationship, owners) {
            try reading(generation) { [limit = options.evaluationLimit] reader in
                guard let request else { return try reader.related(along: relationship, owners: owners) }
                let fetch = RelatedFetch(request, reader, evaluationLimit: limit)
                return try fetch.result(along: relationship, owners: owners)
            }
        }
    }

    /// As for `page`, rows with values in files have none.
    public func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedPage? {
        guard let rows = tables.rowReader(of: tables.schema.model.destination(of: relationship)), !rows.hasFiles
        else { return nil }
        return try activity.relatedPage(along: relationship, ownerCount: owners.count) {
            try reading(generation) { [limit = options.evaluationLimit] reader in
                guard relationship.isToMany else {
                    return try reader.relatedPage(alongToOne: relationship, owners: owners, rows)
                }
                let fetch = RelatedFetch(request ?? RelatedRequest(), reader, evaluationLimit: limit)
                return try fetch.page(along: relationship, owners: owners, rows)
            }
        }
    }

    /// - Parameter inTransaction: Whether the closure runs several statements, which must read the same state.
    func reading<Result: Sendable>(
        _ generation: (any StoreGeneration)?,
        inTransaction: Bool = true,
        _ body: @Sendable (StoreReader) throws -> Result
    ) throws -> Result {
        // Pinned before the state is chosen: see `ExternalFiles`, 4.
        let pin = generation == nil ? tables.files?.pin() : nil
        defer { withExtendedLifetime(pin) {} }
        let limits = WorkLimits.current
        return try naming {
            if let generation = generation as? SQLiteGeneration {
                return try generation.snapshot.read(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                    try body(StoreReader(connection: $0, tables: tables))
                }
            }
            return try database.read(deadline: limits?.deadline, cancellation: limits?.cancellation) { connection in
                let reader = StoreReader(connection: connection, tables: tables)
                return inTransaction ? try connection.transaction { try body(reader) } : try body(reader)
            }
        }
    }
}

/// A state of the file that stays readable.
struct SQLiteGeneration: StoreGeneration {
    let snapshot: ReadSnapshot
    let pin: ReadPin?
}

// MARK: Writing

extension SQLiteStore {
    public var acceptsConcurrentSaves: Bool { true }

    public var isLockedByOthers: Bool { database.isLockedByOthers }

    public func observeOtherWriters(
        for owner: any AnyObject & Sendable,
        _ notify: @escaping @Sendable (OtherWrites) -> Void
    ) {
        watch.addListener(for: owner) { [weak self] writes in
            self?.finishSavesOfOthers()
            notify(writes)
        }
    }

    public var hasUnnoticedWrites: Bool { options.watchInterval != nil && database.hasUnseenCommits }

    public func noticeOtherWriters() { watch.noticeCommits() }

    public func save(
        _ request: StoreSaveRequest,
        commit: Commit<[Snapshot]> = Commit()
    ) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        guard !request.isEmpty || commit.note != nil else { return .saved([]) }
        return try activity.save(request) {
            if let files = tables.files { return try save(request, files, commit: commit) }
            return try writing { [tables] connection in try tables.save(request, connection, commit: commit) }
        }
    }

    public func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        return try naming {
            do {
                return try database.writeWithinLimits { [tables] connection in
                    throw Rehearsal(result: try tables.save(request, connection))
                }
            } catch let rehearsal as Rehearsal {
                return rehearsal.result
            }
        }
    }

    /// Thrown to roll back a rehearsal's writes.
    private struct Rehearsal: Error {
        let result: StoreSaveResult
    }

    func writing<Result: Sendable>(
        turnDeadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try completeUnfinishedSaves()
        return try naming {
            try database.writeWithinLimits(turnDeadline: turnDeadline) { [tables] connection in
                let result = try body(connection)
                try tables.deferSearch(connection)
                return result
            }
        }
    }

    /// Runs a closure and adds the file's path to its errors.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            if let error = error as? SQLiteError, error.code == .interrupted { try WorkLimits.check() }
            throw StoreError.wrapping(error, path)
        }
    }
}
