// SPDX-License-Identifier: Apache-2.0

// Fetches from the rows of an atomic store.

import ObjectGraph
import Predicates

/// A state that objects refer to while predicates are evaluated on them.
final class AtomicGeneration: StoreGeneration {
    let state: AtomicState
    /// The end of the history in this state, or nil for a state within a write.
    let historyEnd: HistoryToken.Position?

    init(_ state: AtomicState, historyEnd: HistoryToken.Position? = nil) {
        self.state = state
        self.historyEnd = historyEnd
    }

    func fetch(_ request: StoreFetchRequest, in model: ManagedObjectModel) throws -> StoreFetchResult {
        let entities = request.includesSubentities ? Array(model.kinds(of: request.entity)) : [request.entity]
        var objectIDs = entities.flatMap { state.tables[$0]?.members ?? [] }
        if objectIDs.count > WorkLimits.manyRows, request.readsValues { try WorkLimits.announceLongRead() }
        // Objects are ordered by number, if not by sort descriptors.
        objectIDs.sort { $0.number < $1.number }
        let snapshots = objectIDs.compactMap { state.rows[$0] }
        let objects = snapshots.lazy.map { RowObject(snapshot: $0, generation: self) }
        if case .table(let table) = request.kind { return .table(try request.table(table, of: objects)) }
        let found = try request.objects(among: objects).map(\.snapshot)
        return switch request.kind {
        case .objectIDs: .objectIDs(found.map(\.objectID))
        case .count: .count(found.count)
        case .snapshots, .table: .snapshots(found)
        }
    }
}

extension StoreFetchRequest {
    /// Whether it reads the values of all objects.
    fileprivate var readsValues: Bool {
        if case .table(let table) = kind, table.isGrouped || table.isDistinct { return true }
        return predicate != nil || search != nil || sortDescriptors.contains { $0.keyPath != .keyPath("objectID") }
    }
}

/// A row as an object for predicates.
struct RowObject: SnapshotObject {
    let snapshot: Snapshot
    let generation: AtomicGeneration

    func object(for snapshot: Snapshot) -> RowObject { RowObject(snapshot: snapshot, generation: generation) }

    func destination(of _: RelationshipDescription, id objectID: ManagedObjectID) -> Snapshot? {
        generation.state.rows[objectID]
    }

    func destinations(of relationship: RelationshipDescription) -> [Snapshot] {
        generation.state.members(of: relationship, owner: snapshot.objectID).compactMap { generation.state.rows[$0] }
    }
}
