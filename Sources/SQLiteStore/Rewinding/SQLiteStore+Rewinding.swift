// SPDX-License-Identifier: Apache-2.0

// Takes the file of a store back to an earlier time, with a backup from before.

import Files
public import FoundationEssentials
public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    /// Takes a store's file back to its state at a time, with an older copy of the store.
    ///
    /// The history says which properties have changed between the copy and the time, and which since. A property that has
    /// changed only before the time keeps its value, and one that has changed only since gets that of the copy. A property
    /// that has changed both before and since is reported as unknown.
    ///
    /// No program may have the store open. If it fails, the file may be half changed: take a copy of the store.
    ///
    /// - Parameters:
    ///   - path: The store, with a history since the copy.
    ///   - date: Transactions of this time and later are undone.
    ///   - older: A copy of the store from before that time.
    ///   - model: The model of a store that carries none.
    public static func rewind(
        _ path: String,
        to date: Date,
        with older: String,
        model: ManagedObjectModel? = nil
    ) throws -> RewindReport {
        do {
            let tables = try fittingTables(path, older, model)
            var report = try rewind(path, to: date, with: older, tables)
            var options = SQLiteStoreOptions()
            options.findsConfiguration = true
            options.mustExist = true
            options.history = .automatic
            let store = try SQLiteStore(path: path, model: tables.model, options: options)
            // Derived values, the search index, and references to objects that don't exist.
            report.findings = try store.repair().remaining
            _ = try store.database.emptyLog()
            return report
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }

    private static func rewind(
        _ path: String,
        to date: Date,
        with older: String,
        _ tables: StoreTables
    ) throws -> RewindReport {
        var connecting = Connection.Options()
        connecting.allowsVirtualTablesInTriggers = true
        let connection = try Connection(path: path, access: .readWrite, options: connecting)
        try connection.set("locking_mode", to: "exclusive")
        try connection.defineStoreFunctions(TriggeredRows())
        let report = try connection.transaction(.immediate) {
            guard try !connection.hasPreparedSaves else { throw StoreError.isUndecided }
            let source = try Connection.ofStore(older)
            return try source.transaction {
                let report = try StoreRewinding(tables: tables, older: source, newer: connection).run(to: date)
                try copyFiles(of: older, to: path, connection)
                return report
            }
        }
        _ = try connection.checkpoint(.truncate)
        return report
    }

    /// Copies the files that restored rows name.
    private static func copyFiles(of older: String, to path: String, _ connection: Connection) throws {
        let folder = ExternalFolder(store: path)
        var missing: Set<ExternalFileName> = []
        try connection.allExternalNames { name in
            if folder.size(of: name) == nil { missing.insert(name) }
        }
        try ExternalFolder(store: older).copy(missing, to: folder)
    }

    /// The tables of a store, after a check that an older copy has the same.
    private static func fittingTables(
        _ path: String,
        _ older: String,
        _ model: ManagedObjectModel?
    ) throws -> StoreTables {
        let newer = try tables(path, model)
        let former: Inspection
        do {
            former = try tables(older, newer.tables.model)
        } catch let error as StoreError where error.code == .otherModel {
            throw StoreError.wasMigrated
        }
        guard former.tables.identifier == newer.tables.identifier else { throw StoreError.isAnotherStore(older) }
        guard former.migrations == newer.migrations else { throw StoreError.wasMigrated }
        guard former.hasHistory, newer.hasHistory else { throw StoreError.hasNoHistory }
        return newer.tables
    }
}

extension SQLiteStore {
    /// The tables of a file, and what must be the same for two states of one store.
    private struct Inspection {
        let tables: StoreTables
        let migrations: Int64
        let hasHistory: Bool
    }

    private static func tables(_ path: String, _ model: ManagedObjectModel?) throws -> Inspection {
        var options = SQLiteStoreOptions()
        options.findsConfiguration = true
        do {
            let connection = try Connection.ofStore(path)
            return try connection.transaction {
                guard let (tables, _) = try StoreOpening(path: path, options: options).tables(of: model, connection)
                else { throw StoreError.missing(path, .store) }
                return Inspection(
                    tables: tables,
                    migrations: StoreMetadata(values: try MetadataRow(connection).metadata.values).migrationCount,
                    hasHistory: try connection.tableExists(HistoryTables.transactions)
                )
            }
        } catch {
            throw StoreError.wrapping(error, path)
        }
    }
}

extension StoreError {
    fileprivate static let wasMigrated = StoreError(
        .noHistory,
        "The model has changed since the backup, and the history doesn't have what a migration changes.",
        hint: "Use a backup that was made after the change of the model, or restore this one without a time."
    )

    fileprivate static let hasNoHistory = StoreError(
        .noHistory,
        "The store keeps no history, or kept none at the time of the backup.",
        hint: "Restore the backup without a time."
    )

    fileprivate static let isUndecided = StoreError(
        .undecided,
        "A save into several stores isn't complete.",
        hint: "Open the stores together once, such as with outcrop serve."
    )

    fileprivate static func isAnotherStore(_ path: String) -> StoreError {
        var error = StoreError(.noHistory, "This is a copy of another store: its identifier differs.")
        error.path = path
        return error
    }
}
