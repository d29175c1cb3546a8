// SPDX-License-Identifier: Apache-2.0

// What a fetch finds among the rows of an atomic store.

import ObjectGraph
import Predicates

/// A state that objects refer to while predicates are evaluated over them.
final class AtomicGeneration: StoreGeneration {
    let state: AtomicState

    init(_ state: AtomicState) {
        self.state = state
    }

    func fetch(_ request: StoreFetchRequest, in model: ManagedObjectModel) throws -> StoreFetchResult {
        let entities = request.includesSubentities ? Array(model.kinds(of: request.entity)) : [request.entity]
        let snapshots = entities.flatMap { state.tables[$0]?.members ?? [] }.compactMap { state.rows[$0] }
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

/// A row as predicates see it.
struct RowObject: KeyValueObject {
    let snapshot: Snapshot
    let generation: AtomicGeneration

    var reference: ObjectReference? { snapshot.objectID.objectReference }

    func operand(forKey key: String) -> Operand? {
        switch snapshot.objectID.entity.property(named: key) {
        case .attribute(let attribute): .value(snapshot.row.attributes[attribute.slot])
        case .relationship(let relationship) where relationship.isToMany:
            .collection(
                generation.state.members(of: relationship, owner: snapshot.objectID).compactMap(object).map(
                    Operand.object
                )
            )
        case .relationship(let relationship):
            snapshot.row.toOnes[relationship.slot].map { .object(object($0) ?? missing($0)) } ?? .null
        case nil where key == "entity": .value(.string(snapshot.objectID.entity.name))
        case .fetched, nil: nil
        }
    }

    /// What an object is whose row is gone: one without values, as it is in a context.
    private func missing(_ objectID: ManagedObjectID) -> RowObject {
        let row = Row(
            attributes: objectID.entity.attributes.map { _ in .null },
            toOnes: objectID.entity.toOnes.map { _ in nil }
        )
        return RowObject(snapshot: Snapshot(objectID: objectID, version: 0, row: row), generation: generation)
    }

    private func object(_ objectID: ManagedObjectID) -> RowObject? {
        generation.state.rows[objectID].map { RowObject(snapshot: $0, generation: generation) }
    }
}
