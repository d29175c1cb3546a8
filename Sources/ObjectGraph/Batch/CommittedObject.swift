// SPDX-License-Identifier: Apache-2.0

// Stored rows as expressions see them.

import Predicates

/// An object as the store has it, whatever a batch makes of it.
struct CommittedObject: KeyValueObject {
    let snapshot: Snapshot
    let graph: RowGraph

    var reference: ObjectReference? { snapshot.objectID.objectReference }

    func operand(forKey key: String) throws -> Operand? {
        let entity = snapshot.objectID.entity
        switch entity.property(named: key) {
        case .attribute(let attribute): return .value(snapshot.row.attributes[attribute.slot])
        case .relationship(let relationship) where relationship.isToMany:
            let members = try graph.members(of: relationship, [snapshot.objectID])[0]
            try graph.load(members)
            return .collection(try members.compactMap(object))
        case .relationship(let relationship):
            return try snapshot.row.toOnes[relationship.slot].flatMap(object) ?? .null
        case nil where key == "entity": return .value(.string(entity.name))
        case .fetched, nil: return nil
        }
    }

    private func object(_ objectID: ManagedObjectID) throws -> Operand? {
        try graph.snapshot(objectID).map { .object(CommittedObject(snapshot: $0, graph: graph)) }
    }
}
