// SPDX-License-Identifier: Apache-2.0

// The SQLite store: opening, metadata and IDs.

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
