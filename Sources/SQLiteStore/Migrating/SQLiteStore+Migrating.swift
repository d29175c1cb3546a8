// SPDX-License-Identifier: Apache-2.0

// Migrates the file of a store to another version of its model.

import Files
public import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

extension SQLiteStore {
    /// Migrates the store of a file, in one transaction: if it fails or is interrupted, the store is as before. No program
    /// may have the store open.
    ///
    /// Objects keep their IDs and versions. Tables are changed in place where no row must be written, and copied otherwise.
    @discardableResult
    public static func migrate(
        path: String,
        by migration: ModelMigration,
        as mode: MigrationMode = .complete,
        options: SQLiteStoreOptions = SQLiteStoreOptions(),
        progress: MigrationProgress? = nil
    ) throws -> MigrationReport {
        var run = MigrationRun(path, migration, mode, options)
        run.progress = progress
        do {
            return try run.run()
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    /// Why a store's file can't be opened with a model; nil if it can.
    public static func mismatch(
        path: String,
        model: ManagedObjectModel,
        options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws -> StoreError? {
        do {
            if let name = options.configuration, !model.model.configurations.contains(where: { $0.name == name }) {
                throw StoreError.unknownConfiguration(name)
            }
            // A store of another configuration has the right version.
            var options = options
            options.configuration = nil
            options.findsConfiguration = true
            _ = try StoreOpening(path: path, options: options).inspectTables(of: model)
            return nil
        } catch let error as StoreError where error.code == .otherModel {
            return error
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension SQLiteStore: MigratingStore {
    public var migrationCount: Int64 { knownMigrations }

    public var isMigrated: Bool { database.isClosed }

    /// Migrates the store in one transaction, and opens it again with the new version. No other program may have it open.
    public func migrated(
        by migration: ModelMigration,
        as mode: MigrationMode
    ) throws -> (store: (any PersistentStore)?, report: MigrationReport) {
        guard !isReadOnly else { throw StoreError.readOnly(path) }
        try completeUnfinishedSaves()
        return try naming {
            guard FileSystem.lockHolders(of: path).isEmpty else { throw StoreError.openElsewhere }
            let run = MigrationRun(path, migration, mode, options, triggered: tables.triggered)
            let report = try database.exclusively { connection in
                try connection.defineMigrationFunctions(run.opening.files)
                try connection.set("legacy_alter_table", to: 1)
                defer { try? connection.set("legacy_alter_table", to: 0) }
                return try run.run(connection)
            }
            guard mode != .rehearsal else { return (nil, report) }
            close()
            var options = options
            options.mustExist = true
            // Readers of held states protect their files from the new store.
            let opening = StoreOpening(path: path, options: options, files: tables.files)
            return (try SQLiteStore(opening, migration.new), report)
        }
    }

    /// Ends background work, and all reads but those of states that are held.
    private func close() {
        background.end()
        watch.end()
        database.close()
    }
}

/// A migration of one file.
private struct MigrationRun: Sendable {
    let path: String
    let migration: ModelMigration
    let mode: MigrationMode
    let options: SQLiteStoreOptions
    let opening: StoreOpening
    var progress: MigrationProgress?
    private let triggered: TriggeredRows

    /// Takes a rehearsal back.
    private struct Rehearsed: Error {}

    init(
        _ path: String,
        _ migration: ModelMigration,
        _ mode: MigrationMode,
        _ options: SQLiteStoreOptions,
        triggered: TriggeredRows = TriggeredRows()
    ) {
        self.path = path
        self.migration = migration
        self.mode = mode
        self.options = options
        self.triggered = triggered
        opening = StoreOpening(path: path, options: options)
    }

    func run() throws -> MigrationReport {
        let kind = try StoreFileKind(path: path)
        guard kind == .store else { throw StoreError.missing(path, kind) }
        return try run(connection())
    }

    func run(_ connection: Connection) throws -> MigrationReport {
        var report = MigrationReport()
        let limits = WorkLimits.current
        do {
            try connection.within(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                try connection.transaction(.immediate) {
                    report = try migrate(connection)
                    if mode == .rehearsal { throw Rehearsed() }
                }
            }
        } catch is Rehearsed {
            return report
        }
        return report
    }

    /// A connection that no other can share.
    private func connection() throws -> Connection {
        var connecting = Connection.Options()
        connecting.busyTimeout = options.busyTimeout
        connecting.fileSystem = options.fileSystem
        connecting.allowsVirtualTablesInTriggers = true
        let connection = try Connection(path: path, access: .readWrite, options: connecting)
        try connection.set("locking_mode", to: "exclusive")
        try connection.set("synchronous", to: 2)
        // Renaming a table must not fail because of another program's triggers.
        try connection.set("legacy_alter_table", to: 1)
        try connection.set("cache_size", to: .integer(-Int64(options.cacheSize)))
        try connection.defineStoreFunctions(triggered)
        try connection.defineMigrationFunctions(opening.files)
        return connection
    }

    private func migrate(_ connection: Connection) throws -> MigrationReport {
        guard let (former, configuration) = try opening.tables(of: migration.old, connection) else {
            throw StoreError.missing(path, .store)
        }
        if let save = try connection.preparedSaves().first?.save { throw StoreError.undecided(save) }
        var report = MigrationReport()
        var tables = former
        for stage in migration.stages {
            let schema = try StoreSchema(stage, from: tables.schema, configuration)
            let steps = try StoreMigration(from: tables.schema, to: schema, by: stage, connection)
            var result = try steps.result()
            let links = try steps.linkCounts()
            let next = StoreTables(schema, identifier: former.identifier, files: opening.files, triggered: triggered)
            let ruled = try ruledRows(stage, from: tables, to: next, connection, &result)
            try reporting(of: result.rewrittenCount, connection) { try steps.run(with: ruled) }
            tables = next
            try finish(steps, tables, links, &result)
            report.stages.append(result)
        }
        if let reason = report.reason(against: mode) {
            throw StoreError(.otherModel, reason.message, hint: reason.hint)
        }
        try connection.record(migration)
        return report
    }

    /// Evaluates the rules of a stage.
    private func ruledRows(
        _ stage: ResolvedMapping,
        from tables: StoreTables,
        to next: StoreTables,
        _ connection: Connection,
        _ result: inout MigrationReport.Stage
    ) throws -> [RuledRows] {
        let reader = StoreReader(connection: connection, tables: tables)
        return try stage.plans.enumerated().compactMap { place, plan in
            guard let rows = try RuledRows(plan, at: place, by: stage, to: next, connection) else { return nil }
            let excluded = try rows.evaluate(from: reader)
            result.exclude(excluded, of: plan.source.name)
            return rows
        }
    }

    /// Runs the steps of a stage, and reports their progress.
    private func reporting(of expected: Int, _ connection: Connection, _ steps: () throws -> Void) throws {
        guard let progress else { return try steps() }
        try connection.reportingRows(to: { progress($0, expected) }, steps)
    }

    /// Checks the new rules, computes derived values, and makes the indexes.
    private func finish(
        _ steps: StoreMigration,
        _ tables: StoreTables,
        _ links: StoreMigration.LinkCounts,
        _ result: inout MigrationReport.Stage
    ) throws {
        let connection = steps.connection
        let reader = StoreReader(connection: connection, tables: tables)
        try steps.removeIndexes()
        try steps.createIndexes(unique: false)
        if steps.needsDerivation {
            try StoreCheck(connection: connection, tables: tables, folder: opening.files.folder).deriveAll()
        }
        for plan in steps.mapping.plans where steps.new.table(of: plan.destination) != nil {
            result.violations += try reader.violations(of: plan)
        }
        let duplicates = try steps.duplicates(in: tables, opening.files.folder)
        result.violations += duplicates
        if duplicates.isEmpty { try steps.createIndexes(unique: true) }
        result.losses += try steps.lostLinks(before: links)
    }
}

extension Connection {
    fileprivate func defineMigrationFunctions(_ files: ExternalFiles) throws {
        try define(function: ValueEncoding.inlined, arguments: 1, deterministic: false) { arguments in
            guard case .blob(let stored) = arguments.value(0) else { return .null }
            guard case .data(let data) = files.value(stored) else {
                throw StoreError.unreadableValue(files.folder.path)
            }
            return .blob([UInt8](data))
        }
    }

    /// Records the model of the rows. Core Data's hashes would be those of another version.
    fileprivate func record(_ migration: ModelMigration) throws {
        let model = migration.new
        var head = try MetadataRow(self)
        head.metadata.replaceModel(by: model, hashesDiffer: migration.changesRows)
        try head.write(self)
        try execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try execute("DELETE FROM Z_MODELCACHE")
        try EmbeddedModel.write(model, self)
    }
}

extension StoreSchema {
    /// The tables of a new version. Entities keep their numbers, so that their rows needn't change.
    fileprivate init(_ mapping: ResolvedMapping, from old: StoreSchema, _ configuration: String?) throws {
        var stored: [String: Int64] = [:]
        for (name, former) in mapping.mapping.formerNames {
            guard let entity = mapping.old.entity(named: former), old.numbers[entity] != 0 else { continue }
            stored[name] = old.numbers[entity]
        }
        let isKept = try mapping.new.isKept(configuration)
        self.init(
            mapping.new,
            EntityNumbers(mapping.new, stored: stored, reserved: Set(old.numbers.all), where: isKept)
        )
    }
}

extension StoreError {
    fileprivate static let openElsewhere = StoreError(
        .locked,
        "Another program has the store open, so it can't be migrated.",
        hint: "End that program first."
    )

    fileprivate static func unreadableValue(_ folder: String) -> StoreError {
        StoreError(
            .missingFile,
            "A large value can't be read from its file, so it can't be moved into the store.",
            hint: "Restore the files in “\(folder)”."
        )
    }
}
