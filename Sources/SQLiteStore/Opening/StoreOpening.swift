// SPDX-License-Identifier: Apache-2.0

// Opening a store's file: what it is, whether it fits the model, and making it where there is none.

import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteDriver

/// The steps from a path to an open store. Until a file is known to be a store of the model, it is only read.
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

    struct Opened {
        let tables: StoreTables
        let database: Database
    }

    func open(_ model: ManagedObjectModel) throws -> Opened {
        do {
            let file = try StoreFileKind(path: path)
            if file == .store || options.isReadOnly || options.mustExist {
                guard file == .store else { throw StoreError.missing(path, file) }
                return try openExisting(model)
            }
            return try create(model)
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    private func openExisting(_ model: ManagedObjectModel) throws -> Opened {
        let tables = try Connection.reading(path) { connection in
            try connection.transaction { try fittedTables(model, connection) }
        }
        // A database without tables is what is left where making a store was interrupted.
        guard let tables else { return try create(model) }
        return Opened(tables: tables, database: try database())
    }

    /// The tables as the file has them; nil where it has none yet.
    private func fittedTables(_ model: ManagedObjectModel, _ connection: Connection) throws -> StoreTables? {
        let file = try connection.fileTables()
        guard file["Z_METADATA"] != nil, file["Z_PRIMARYKEY"] != nil else {
            guard file.isEmpty, !options.isReadOnly, !options.mustExist else { throw StoreError.foreignDatabase }
            return nil
        }
        let head = try StoreHead(connection)
        let stored = try connection.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") { ($0.string(0), $0.int64(1)) }
        let numbers = EntityNumbers(
            model,
            stored: Dictionary(stored) { first, _ in first },
            where: try isKept(model)
        )
        let schema = try StoreSchema(model, numbers).fitted(to: file)
        return StoreTables(schema, identifier: head.identifier, files: files)
    }

    private func isKept(_ model: ManagedObjectModel) throws -> (EntityDescription) -> Bool {
        guard let name = options.configuration else { return { _ in true } }
        guard let configuration = model.model.configurations.first(where: { $0.name == name }) else {
            throw StoreError.unknownConfiguration(name)
        }
        let names = Set(configuration.entityNames)
        // Entities above those of a configuration share their table.
        let roots = Set(model.entities.filter { names.contains($0.name) }.map(\.rootIndex))
        return { roots.contains($0.rootIndex) }
    }

    private func create(_ model: ManagedObjectModel) throws -> Opened {
        let schema = StoreSchema(model, EntityNumbers(model, where: try isKept(model)))
        let database = try database()
        let identifier = try database.write { connection in
            // Somebody else may have made it meanwhile.
            if try connection.tableExists("Z_METADATA") { return try StoreHead(connection).identifier }
            for statement in schema.creation { try connection.execute(statement) }
            let head = StoreHead(identifier: UUID(), metadata: StoredMetadata(model))
            try head.write(connection)
            return head.identifier
        }
        return Opened(tables: StoreTables(schema, identifier: identifier, files: files), database: database)
    }

    private func database() throws -> Database {
        var configuration = Configuration()
        configuration.access = options.isReadOnly ? .readOnly : .create
        configuration.synchronous = options.isDurable ? .full : .normal
        configuration.autoVacuum = .incremental
        configuration.cacheKibibytes = options.cacheSize
        configuration.busyTimeout = options.busyTimeout
        configuration.readerLimit = options.readerLimit
        return try Database(path: path, configuration: configuration) { try $0.defineStoreFunctions() }
    }
}

/// What there is at a path.
enum StoreFileKind {
    case missing
    /// A file of no bytes, which becomes a store as if there were none.
    case empty
    /// A file of SQLite's.
    case store

    init(path: String) throws {
        var isFolder = false
        let manager = FileManager.default
        guard manager.fileExists(atPath: path, isDirectory: &isFolder) else {
            self = .missing
            return
        }
        guard !isFolder else { throw StoreError.isFolder }
        guard let start = try? OpenFile(reading: path).read(at: 0, count: 16) else { throw StoreError.unreadable }
        guard !start.isEmpty else {
            self = .empty
            return
        }
        guard start.elementsEqual(Array("SQLite format 3\0".utf8)) else { throw StoreError.notADatabase }
        self = .store
    }
}

extension Connection {
    /// The tables and their columns.
    fileprivate func fileTables() throws -> StoreSchema.FileTables {
        let names = try rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.string(0) }
        var tables: StoreSchema.FileTables = [:]
        for name in names where !name.hasPrefix("sqlite_") {
            tables[name] = try rows("SELECT name FROM pragma_table_info(\(value: .text(name)))") { $0.string(0) }
        }
        return tables
    }

    /// Reads a file that may turn out to be anything.
    fileprivate static func reading<Result>(_ path: String, _ body: (Connection) throws -> Result) throws -> Result {
        try body(Connection(path: path, access: .readOnly))
    }
}

extension StoreError {
    static let isFolder = StoreError(.notAStore, "There is a folder where the store should be.")
    static let unreadable = StoreError(.notFound, "The file can't be read.")
    static let notADatabase = StoreError(.notAStore, "The file is no SQLite database.")
    static let foreignDatabase = StoreError(
        .notAStore,
        "The file is a SQLite database, but no store: it has no tables Z_METADATA and Z_PRIMARYKEY."
    )

    static func missing(_ path: String, _ kind: StoreFileKind) -> StoreError {
        var error = StoreError(.notFound, kind == .empty ? "The file is empty." : "There is no such file.")
        error.path = path
        return error
    }

    static func unknownConfiguration(_ name: String) -> StoreError {
        StoreError(.otherModel, "The model has no configuration “\(name)”.")
    }
}
