// SPDX-License-Identifier: Apache-2.0

// Migrates the file of a store to another version of its model.

import Files
public import ObjectGraph
import ObjectModel
import SQLiteDriver

extension SQLiteStore {
    /// Migrates the store of a file, in one transaction: if it fails or is interrupted, the store is as before. No program
    /// may have the store open.
    ///
    /// Objects keep their IDs, and their versions unless closures of stages change them. Tables are changed in place where no row must be written, and copied otherwise.
    @discardableResult
    public static func migrate(
        path: String,
        by migration: ModelMigration,
        as mode: MigrationMode = .complete,
        options: SQLiteStoreOptions = SQLiteStoreOptions(),
        progress: MigrationProgress? = nil
    ) throws -> MigrationReport {
        let run = MigrationRun(path: path, by: migration, as: mode, options: options, progress: progress)
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
            let run = MigrationRun(of: self, by: migration, as: mode)
            let report = try database.exclusively { connection in
                try connection.defineMigrationFunctions(run.opening.files)
                try connection.set("legacy_alter_table", to: 1)
                // Former files of large values are removed after the commit.
                try connection.set("synchronous", to: 2)
                defer {
                    try? connection.set("legacy_alter_table", to: 0)
                    try? connection.set("synchronous", to: self.options.isDurable ? 2 : 1)
                }
                return try run.run(connection)
            }
            guard mode != .rehearsal else { return (nil, report) }
            close()
            var options = options
            options.mustExist = true
            // Readers of held states protect their files from the new store.
            let opening = StoreOpening(path: path, options: options, files: run.opening.files)
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

extension StoreError {
    fileprivate static let openElsewhere = StoreError(
        .locked,
        "Another program has the store open, so it can't be migrated.",
        hint: "End that program first."
    )
}
