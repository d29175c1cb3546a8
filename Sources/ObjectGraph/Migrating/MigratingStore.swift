// SPDX-License-Identifier: Apache-2.0

// What a store must do to be migrated while it is open.

/// A store that can be migrated while it is open.
public protocol MigratingStore: PersistentStore {
    /// Migrates the store, and returns a store with the same objects in the new version.
    ///
    /// 1. If it throws, the store is as before, unless `isMigrated` says that only opening it again has failed. Otherwise,
    ///    unless it is a rehearsal, nothing can be saved into this store any more, and only states that are held can be read
    ///    from it.
    /// 2. The new store has the same identifier.
    ///
    /// - Returns: The new store; nil after a rehearsal.
    func migrated(
        by migration: ModelMigration,
        as mode: MigrationMode
    ) throws -> (store: (any PersistentStore)?, report: MigrationReport)

    /// How often the store was migrated before it was opened.
    var migrationCount: Int64 { get }

    /// Whether it was migrated since, so that nothing can be saved into it any more.
    var isMigrated: Bool { get }
}
