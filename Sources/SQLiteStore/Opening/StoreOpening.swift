// SPDX-License-Identifier: Apache-2.0

// Opens a store's file: checks what it is and whether it fits the model, and creates it if it is missing.

import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteDriver

/// The steps from a path to an open store. A file is only read until it is known to be a store of the model.
///
///     path ──▶ missing or empty ──▶ create ──▶ open
///       │
///       └────▶ a store? ──▶ of this model? ──▶ open
///                 │no           │no
///                 ▼             ▼
///             notAStore     otherModel
struct StoreOpening {
    let path: String
    let options: SQLiteStoreOptions
    let files: ExternalFiles
    private let triggered = TriggeredRows()

    init(path: String, options: SQLiteStoreOptions, files: ExternalFiles? = nil) {
        self.path = path
        self.options = options
        self.files =
            files ?? ExternalFiles(ExternalFolder(store: path), threshold: options.externalStorageThreshold)
    }

    struct Opened {
        let tables: StoreTables
        /// The configuration that the tables are for; nil for the whole model.
        let configuration: String?
        let database: Database
    }

    /// Opens the store with a model, or with the model that the store carries.
    func open(_ model: ManagedObjectModel?) throws -> Opened {
        do {
            let file = try StoreFileKind(path: path)
            if file == .store, let opened = try openExisting(model) { return opened }
            guard let model, !options.isReadOnly, !options.mustExist else { throw StoreError.missing(path, file) }
            return try create(model)
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    /// The tables of an existing store, without opening it.
    func inspectTables(of model: ManagedObjectModel) throws -> StoreTables {
        let file = try StoreFileKind(path: path)
        guard file == .store, let fitted = try inspecting({ try tables(of: model, $0) }) else {
            throw StoreError.missing(path, file)
        }
        return fitted.tables
    }

    /// Nil if the file has no tables yet, because creating a store was interrupted.
    private func openExisting(_ model: ManagedObjectModel?) throws -> Opened? {
        guard let (tables, configuration) = try inspecting({ try tables(of: model, $0) }) else { return nil }
        do {
            return Opened(tables: tables, configuration: configuration, database: try database())
        } catch let error as SQLiteError where error.code.primary == .cantOpen && !options.isReadOnly {
            throw StoreError.notWritable(error)
        }
    }

    /// Reads a file, which may be no store, at one moment.
    private func inspecting<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var connecting = Connection.Options()
        connecting.busyTimeout = options.busyTimeout
        connecting.fileSystem = options.fileSystem
        // An immutable connection leaves no files beside one that is refused. Its reads are valid if
        // the head hasn't changed.
        if let head = try StoreFileKind.headAtRest(path) {
            connecting.isImmutable = true
            let result = Swift.Result { try inspecting(.readOnly, connecting, body) }
            if try StoreFileKind.headAtRest(path) == head { return try result.get() }
            connecting.isImmutable = false
        }
        do {
            return try inspecting(.readOnly, connecting, body)
        } catch let error as SQLiteError where error.code == .readOnlyRollback && !options.isReadOnly {
            // A hot journal must be rolled back first, which needs write access.
            return try inspecting(.readWrite, connecting, body)
        }
    }

    private func inspecting<Result>(
        _ access: Connection.Access,
        _ connecting: Connection.Options,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        let connection = try Connection(path: path, access: access, options: connecting)
        return try connection.transaction { try body(connection) }
    }

    typealias FittedTables = (tables: StoreTables, configuration: String?)

    /// The file's tables, or nil if it has none yet.
    func tables(of model: ManagedObjectModel?, _ connection: Connection) throws -> FittedTables? {
        let file = try connection.fileTables()
        if file.isEmpty { return nil }
        if let error = StoreError.foreignDatabase(unless: { file[$0] != nil }) { throw error }
        return try fittedTables(model, to: file, connection)
    }

    private func fittedTables(
        _ model: ManagedObjectModel?,
        to file: StoreSchema.FileTables,
        _ connection: Connection
    ) throws -> FittedTables {
        let head = try MetadataRow(connection)
        let carried = try file["Z_MODELCACHE"].flatMap { _ in try EmbeddedModel(connection) }
        let model = try carried.fit(model, head.metadata)
        let stored = try StoredEntities(head.metadata, of: model, connection)
        let configuration = try configuration(of: model, stored: stored.names)
        if !carried.isReadable {
            let difference = stored.difference(from: model, configuration)
            guard difference.isEmpty else { throw StoreError.otherModel(difference) }
        }
        let numbers = EntityNumbers(model, stored: stored.numbers, where: try model.isKept(configuration))
        let schema = try StoreSchema(model, numbers).fitted(to: file)
        if !carried.isReadable, head.metadata.versionHashes == nil {
            let unexplained = schema.unexplained(in: file)
            guard unexplained.isEmpty else { throw StoreError.unexplained(unexplained) }
        }
        let tables = StoreTables(
            schema,
            identifier: head.identifier,
            files: files,
            triggered: triggered,
            isModelKnown: carried.isReadable || head.metadata.versionHashes != nil,
            history: StoreHistoryStatus(
                options.history,
                hasTables: file[HistoryTables.transactions] != nil,
                isForeign: head.metadata.isOfCoreData
            )
        )
        return (tables, configuration)
    }

    /// The chosen configuration, or else the one that matches the file's entities exactly.
    private func configuration(of model: ManagedObjectModel, stored: Set<String>) throws -> String? {
        let chosen = options.configuration
        func kept(_ configuration: String?) throws -> Set<String> {
            Set(model.entities.filter(try model.isKept(configuration)).map(\.name))
        }
        guard try !kept(chosen).isSubset(of: stored) else { return chosen }
        guard let found = try model.model.configurations.map(\.name).first(where: { try kept($0) == stored }) else {
            return chosen
        }
        guard chosen == nil, options.findsConfiguration else { throw StoreError.keepsConfiguration(found) }
        return found
    }

    private func create(_ model: ManagedObjectModel) throws -> Opened {
        let isKept = try model.isKept(options.configuration)
        let schema = StoreSchema(model, EntityNumbers(model, where: isKept))
        let database = try database()
        let made = try database.write { connection -> UUID? in
            guard try !connection.tableExists("Z_METADATA") else { return nil }
            for statement in schema.creation { try connection.execute(statement) }
            let head = MetadataRow(identifier: UUID(), metadata: StoredMetadata(model))
            try head.write(connection)
            try EmbeddedModel.write(model, connection)
            return head.identifier
        }
        if let made {
            let tables = StoreTables(
                schema,
                identifier: made,
                files: files,
                triggered: triggered,
                history: StoreHistoryStatus(options.history, hasTables: false, isForeign: false)
            )
            return Opened(tables: tables, configuration: options.configuration, database: database)
        }
        // Another process has created it meanwhile.
        guard let opened = try openExisting(model) else { throw StoreError.missing(path, .store) }
        return opened
    }

    private func database() throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.access = options.isReadOnly ? .readOnly : .create
        configuration.synchronous = options.isDurable ? .full : .normal
        configuration.autoVacuum = .incremental
        configuration.cacheKibibytes = options.cacheSize
        configuration.busyTimeout = options.busyTimeout
        configuration.readerLimit = options.readerLimit
        configuration.snapshotLimit = options.generationLimit
        configuration.fileSystem = options.fileSystem
        configuration.readersMakeLog = try StoreFileKind.isAtRest(path)
        do {
            return try Database(path: path, configuration: configuration) { [triggered] connection in
                try connection.defineStoreFunctions(triggered)
            }
        } catch let error as SQLiteError
            where [.cantOpen, .readOnly].contains(error.code.primary) && options.isReadOnly
        {
            guard try StoreFileKind.isAtRest(path) else { throw error }
            // No log can be created, for example on a read-only file system; so there are no writers either.
            configuration.isImmutable = true
            return try Database(path: path, configuration: configuration) { [triggered] connection in
                try connection.defineStoreFunctions(triggered)
            }
        }
    }
}

extension ManagedObjectModel {
    /// Which entities a store of a configuration has; all without a configuration.
    func isKept(_ configuration: String?) throws(StoreError) -> (EntityDescription) -> Bool {
        guard let name = configuration else { return { _ in true } }
        guard let configuration = model.configurations.first(where: { $0.name == name }) else {
            throw .unknownConfiguration(name)
        }
        let names = Set(configuration.entityNames)
        // Entities above a configuration's share their table.
        let roots = Set(entities.filter { names.contains($0.name) }.map(\.rootIndex))
        return { roots.contains($0.rootIndex) }
    }
}

/// What is at a path.
enum StoreFileKind {
    case missing
    /// An empty file, which is treated like a missing one.
    case empty
    /// A file of SQLite.
    case store

    init(path: String) throws {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            self = .missing
            return
        }
        guard !isFolder else { throw StoreError.isFolder }
        guard FileSystem.isFile(path) else { throw StoreError.noFile }
        guard let start = try Self.start(of: path, 16) else { throw StoreError.unreadable }
        guard !start.isEmpty else {
            self = .empty
            return
        }
        guard start.elementsEqual(Array("SQLite format 3\0".utf8)) || Self.isHalfWritten(path) else {
            throw StoreError.notADatabase
        }
        self = .store
    }

    /// Whether a file is in WAL mode and has no log, because it isn't open anywhere.
    static func isAtRest(_ path: String) throws -> Bool { try headAtRest(path) != nil }

    /// The head of such a file; each write changes it.
    static func headAtRest(_ path: String) throws -> [UInt8]? {
        // SQLite decides by the read version alone, even if the file ends there.
        guard let head = try start(of: path, 100), head.count > 19, head[19] == 2 else { return nil }
        return ["-wal", "-journal"].contains { FileManager.default.fileExists(atPath: path + $0) } ? nil : head
    }

    /// The first bytes of a file, which may be open in this process; nil if it can't be opened.
    private static func start(of path: String, _ count: Int) throws -> [UInt8]? {
        do throws(SQLiteError) {
            return try Connection.head(ofFile: path, count: count)
        } catch {
            guard error.code.primary == .cantOpen else { throw error }
            return nil
        }
    }

    /// Whether the file has a rollback journal. A journal is never locked, so reading it is safe.
    private static func isHalfWritten(_ path: String) -> Bool {
        let start = try? OpenFile(reading: path + "-journal").read(at: 0, count: 8)
        return start?.elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) ?? false
    }
}

extension Connection {
    /// The tables with their columns. Virtual tables get no columns, since listing these requires their modules.
    func fileTables() throws -> StoreSchema.FileTables {
        let names = try rows("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'") { row in
            (row.string(0), isVirtual: row.int64(1) == 0)
        }
        var tables: StoreSchema.FileTables = [:]
        for (name, isVirtual) in names where !name.hasPrefix("sqlite_") {
            tables[name] =
                isVirtual ? [] : try rows("SELECT name FROM pragma_table_info(\(value: .text(name)))") { $0.string(0) }
        }
        return tables
    }
}

extension StoreError {
    static let isFolder = StoreError(.notAStore, "The path names a folder, not a store.")
    static let noFile = StoreError(.notAStore, "The path names not a file, but a device, a pipe or the like.")
    static let unreadable = StoreError(
        .notFound,
        "The file can't be read.",
        hint: "Give this program's user permission to read it."
    )
    static let notADatabase = StoreError(.notAStore, "The file isn't a SQLite database.")

    /// The error of a database that lacks a table which each store has; nil if it has both.
    static func foreignDatabase(unless hasTable: (String) throws -> Bool) rethrows -> StoreError? {
        let lacking = try ["Z_METADATA", "Z_PRIMARYKEY"].filter { try !hasTable($0) }
        guard !lacking.isEmpty else { return nil }
        let tables = (lacking.count == 1 ? "table " : "tables ") + lacking.joined(separator: " and ")
        return StoreError(.notAStore, "The file is a SQLite database, but not a store: it has no \(tables).")
    }

    static let repeatedNames = StoreError(
        .damaged,
        "Z_PRIMARYKEY has several entities with the same name.",
        hint: "Open a backup of the store."
    )

    static func notWritable(_ error: SQLiteError) -> StoreError {
        var readOnly = StoreError(
            .readOnly,
            "The file, or its log beside it, can't be opened for writing.",
            hint: "Give this program's user permission to write the file and its folder, or open it read-only."
        )
        readOnly.underlying = error
        return readOnly
    }

    static func missing(_ path: String, _ kind: StoreFileKind) -> StoreError {
        let message =
            switch kind {
            case .missing: "The file doesn't exist."
            case .empty: "The file is empty."
            case .store: "The file is a SQLite database without tables."
            }
        var error = StoreError(.notFound, message)
        error.path = path
        return error
    }

    static func keepsConfiguration(_ name: String) -> StoreError {
        StoreError(
            .otherModel,
            "The store has only the entities of the configuration “\(name)”.",
            hint: "Open it for that configuration."
        )
    }

    static func unknownConfiguration(_ name: String) -> StoreError {
        StoreError(.otherModel, "The model has no configuration “\(name)”.")
    }
}
