// SPDX-License-Identifier: Apache-2.0

// Migrates one file in a transaction, which a rehearsal takes back.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// A migration of one file.
///
/// 1. Everything happens in one transaction. Large values that closures write are in synced files before the commit, and
///    files that they release are removed after it.
struct MigrationRun: Sendable {
    let path: String
    let migration: ModelMigration
    let mode: MigrationMode
    let options: SQLiteStoreOptions
    let opening: StoreOpening
    let progress: MigrationProgress?
    /// Rows that an app's triggers have changed.
    let triggered: TriggeredRows
    /// The ranges of keys that an open store has reserved; nil if the store isn't open.
    let allocator: KeyAllocator?

    /// A migration of a file that isn't open.
    init(
        path: String,
        by migration: ModelMigration,
        as mode: MigrationMode,
        options: SQLiteStoreOptions,
        progress: MigrationProgress?
    ) {
        self.path = path
        self.migration = migration
        self.mode = mode
        self.options = options
        self.progress = progress
        opening = StoreOpening(path: path, options: options)
        triggered = TriggeredRows()
        allocator = nil
    }

    /// A migration of an open store.
    init(of store: SQLiteStore, by migration: ModelMigration, as mode: MigrationMode) {
        path = store.path
        self.migration = migration
        self.mode = mode
        options = store.options
        progress = nil
        // Readers of held states protect their files.
        opening = StoreOpening(path: store.path, options: store.options, files: store.tables.files)
        triggered = store.tables.triggered
        allocator = store.keys
    }

    /// Migrates a file that isn't open.
    func run() throws -> MigrationReport {
        let kind = try StoreFileKind(path: path)
        guard kind == .store else { throw StoreError.missing(path, kind) }
        return try run(connection())
    }

    /// Thrown to take a rehearsal back.
    private struct Rehearsed: Error {
        let report: MigrationReport
    }

    func run(_ connection: Connection) throws -> MigrationReport {
        let limits = WorkLimits.current
        let placement = ExternalPlacement(opening.files)
        do {
            return try placement.finish {
                do {
                    return try connection.within(deadline: limits?.deadline, cancellation: limits?.cancellation) {
                        try connection.transaction(.immediate) { try migrate(connection, placement: placement) }
                    }
                } catch {
                    throw StoreError.wrapping(error, path)
                }
            }
        } catch let rehearsed as Rehearsed {
            return rehearsed.report
        }
    }

    private func migrate(_ connection: Connection, placement: ExternalPlacement) throws -> MigrationReport {
        let report = try StagedMigration(of: self, on: connection, placement: placement).execute()
        if mode == .rehearsal { throw Rehearsed(report: report) }
        try placement.sync()
        placement.willCommit()
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
}

extension Connection {
    func defineMigrationFunctions(_ files: ExternalFiles) throws {
        try define(function: ValueEncoding.inlined, arguments: 1, deterministic: false) { arguments in
            guard case .blob(let stored) = arguments.value(0) else { return .null }
            guard case .data(let data) = files.value(stored) else {
                throw StoreError.unreadableValue(files.folder.path)
            }
            return .blob([UInt8](data))
        }
    }
}

extension StoreError {
    fileprivate static func unreadableValue(_ folder: String) -> StoreError {
        StoreError(
            .missingFile,
            "A large value can't be read from its file, so it can't be moved into the store.",
            hint: "Restore the files in “\(folder)”."
        )
    }
}
