// SPDX-License-Identifier: Apache-2.0

// The store within the transaction of a migration, for the closures of its stages.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// A store on the connection of a migration: it reads what the migration has written so far, and its saves and batches are
/// part of the migration.
///
/// 1. A save or batch that fails has written nothing, and released no file: it has a savepoint.
/// 2. Nothing is written outside of the transaction. If an error has rolled it back, every later call throws that error.
// Sendable although a connection isn't: only the thread that migrates uses the store, since a context is confined to it.
final class MigrationStore: PersistentStore, @unchecked Sendable {
    private let connection: Connection
    private let tables: StoreTables
    private let run: MigrationRun
    private let placement: ExternalPlacement
    /// The error that has rolled back the transaction.
    private var failure: (any Error)?

    init(_ tables: StoreTables, of run: MigrationRun, on connection: Connection, placement: ExternalPlacement) {
        self.tables = tables
        self.run = run
        self.connection = connection
        self.placement = placement
    }

    private struct Now: StoreGeneration {}

    var identifier: UUID { tables.identifier }
    var isReadOnly: Bool { false }
    var metadata: StoreMetadata { StoreMetadata() }

    func setMetadata(_ metadata: StoreMetadata) {}

    func reference(from text: String) -> ManagedObjectID.Reference? { Int64(text).map { .integer($0) } }

    /// Throws the error that has rolled back the transaction, if one has.
    func checkTransaction() throws {
        if let failure { throw failure }
    }

    /// Runs a closure within the transaction, and adds the file's path to its errors.
    private func calling<Result>(_ body: () throws -> Result) throws -> Result {
        try checkTransaction()
        do {
            return try body()
        } catch {
            let error = StoreError.wrapping(error, run.path)
            if !connection.isInTransaction { failure = error }
            throw error
        }
    }
}

// MARK: Reading

extension MigrationStore {
    private var reader: StoreReader { StoreReader(connection: connection, tables: tables) }

    func currentGeneration() -> any StoreGeneration { Now() }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try calling { try StoreFetch(request, reader, evaluationLimit: run.options.evaluationLimit).result() }
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try calling { try reader.snapshots(of: objects) }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try calling { try reader.members(of: relationship, owners: owners) }
    }
}

// MARK: Writing

extension MigrationStore {
    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try writing {
            let keys = BatchKeys(connection, tables, run.allocator)
            let objectIDs = try keys.permanentIDs(for: entities, keeping: references)
            try keys.write()
            return objectIDs
        }
    }

    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        guard !request.isEmpty else { return .saved([]) }
        let result = try writing {
            let history = try HistoryWriter(tables, connection, of: commit.origin)
            let result = try tables.save(request, on: connection, placement: placement, history: history)
            try history?.finish()
            return result
        }
        if case .saved(let rows) = result { commit.notify(of: rows) }
        return result
    }

    func rehearse(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        try rehearsing { try tables.save(request, on: connection, placement: placement) }
    }

    func execute(_ batch: StoreBatchRequest, commit: Commit<StoreBatchResult>) throws -> StoreBatchResult {
        var work = batch
        work.isRehearsal = false
        let writer = BatchWriter(
            batch: work,
            connection: connection,
            tables: tables,
            allocator: run.allocator,
            evaluationLimit: run.options.evaluationLimit,
            placement: placement,
            history: batch.isRehearsal ? nil : try HistoryWriter(tables, connection, of: commit.origin)
        )
        if batch.isRehearsal {
            let result = try rehearsing { try writer.run() }
            return StoreBatchResult(count: result.count, objectIDs: result.objectIDs, changes: SavedChanges())
        }
        let result = try writing { try writer.run() }
        commit.notify(of: result)
        return result
    }

    /// Runs a closure in a savepoint. If it throws, its changes are rolled back, and its files are given back.
    private func writing<Result>(_ body: () throws -> Result) throws -> Result {
        try calling {
            let mark = placement.mark
            do {
                return try connection.savepoint(body)
            } catch {
                placement.revert(to: mark)
                throw error
            }
        }
    }

    /// Thrown to roll back a rehearsal's changes.
    private struct Rehearsal<Result: Sendable>: Error {
        let result: Result
    }

    private func rehearsing<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try writing { throw Rehearsal(result: try body()) }
        } catch let rehearsal as Rehearsal<Result> {
            return rehearsal.result
        }
    }
}
