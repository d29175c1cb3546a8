// SPDX-License-Identifier: Apache-2.0

// The store within a transaction, for the parts of a batch that use the general calls of stores.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// A store on a connection that holds a transaction: it reads the transaction's state, and its saves are part of it.
// Sendable although a connection isn't: only the thread that holds the transaction uses the store.
final class TransactionStore: PersistentStore, @unchecked Sendable {
    private let connection: Connection
    private let tables: StoreTables
    private let evaluationLimit: Int
    private let keys: BatchKeys
    let order: MemberOrder
    private let placement: ExternalPlacement?
    private let history: HistoryWriter?

    init(_ writer: BatchWriter, _ keys: BatchKeys) {
        history = writer.history
        placement = writer.placement
        connection = writer.connection
        tables = writer.tables
        evaluationLimit = writer.evaluationLimit
        self.keys = keys
        order = MemberOrder(connection)
    }

    private struct Now: StoreGeneration {}

    private var reader: StoreReader { StoreReader(connection: connection, tables: tables) }

    var identifier: UUID { tables.identifier }
    var isReadOnly: Bool { false }
    var metadata: StoreMetadata { StoreMetadata() }

    func setMetadata(_ metadata: StoreMetadata) {}

    func reference(from text: String) -> ManagedObjectID.Reference? { Int64(text).map { .integer($0) } }

    func currentGeneration() -> any StoreGeneration { Now() }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try StoreFetch(request, reader, evaluationLimit: evaluationLimit).result()
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try reader.snapshots(of: objects)
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try reader.members(of: relationship, owners: owners)
    }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try keys.permanentIDs(for: entities, keeping: references)
    }

    /// Ignores the commit, which is written at the end of the batch.
    func save(_ request: StoreSaveRequest, commit _: Commit<[Snapshot]>) throws -> StoreSaveResult {
        let result = try tables.save(request, on: connection, placement: placement, order: order, history: history)
        try keys.write()
        return result
    }
}

extension StoreTables {
    /// Executes a save within a transaction that has more than one, and places its large values.
    func save(
        _ request: StoreSaveRequest,
        on connection: Connection,
        placement: ExternalPlacement?,
        order: MemberOrder? = nil,
        history: HistoryWriter? = nil
    ) throws -> StoreSaveResult {
        guard let placement else { return try save(request, connection, order: order, history: history) }
        let mark = placement.mark
        let places = try placement.place(request.externalValues(self))
        placement.release(try released(request.releasedColumns(self), connection))
        let result = try save(request, connection, places: places, order: order, history: history)
        if case .conflicts = result { placement.revert(to: mark) }
        return result
    }
}
