// SPDX-License-Identifier: Apache-2.0

// Whether rows in memory can be shown without reading others.

import AccessRules
import Identities
import ObjectGraph
import Predicates

extension Access {
    /// Whether the identity may read a row and all objects that it refers to. False also if that depends on other rows.
    func shows(_ row: Snapshot) -> Bool {
        let entity = row.objectID.entity
        guard !restrictsReferences(of: entity) else { return false }
        switch permission(.read, entity) {
        case .always: return true
        case .when:
            let condition = permission(.read, entity).existing
            guard condition.isLocal(in: entity) else { return false }
            return (try? condition.evaluate(with: LoneRow(snapshot: row))) ?? false
        }
    }

    /// Whether the entity has to-one relationships to objects that may not be readable.
    func restrictsReferences(of entity: EntityDescription) -> Bool {
        entity.toOnes.contains { visibility(of: model.destination(of: $0)) != nil }
    }
}

/// A row of which only the own values are used.
private struct LoneRow: SnapshotObject {
    let snapshot: Snapshot

    func object(for snapshot: Snapshot) -> LoneRow { LoneRow(snapshot: snapshot) }

    func destination(of relationship: RelationshipDescription, id objectID: ManagedObjectID) -> Snapshot? { nil }

    func destinations(of relationship: RelationshipDescription) -> [Snapshot] { [] }
}
