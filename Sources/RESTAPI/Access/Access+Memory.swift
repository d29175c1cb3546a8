// SPDX-License-Identifier: Apache-2.0

// Whether rows in memory can be shown without reading others.

import AccessRules
import Identities
import ObjectGraph
import Predicates

/// Whether a row in memory can be shown without reading others.
enum MemoryVisibility: Sendable {
    case always
    /// If a condition holds that only depends on the row.
    case when(ObjectPredicate)
    /// Other rows decide.
    case unknown

    init(_ permission: Access.Permission, of entity: EntityDescription) {
        let condition = permission.existing
        switch permission {
        case .always: self = .always
        case .when: self = condition.isLocal(in: entity) ? .when(condition) : .unknown
        }
    }
}

extension Access {
    /// Whether the identity may read a row and all objects that it refers to. False also if that depends on other rows.
    func shows(_ row: Snapshot) -> Bool {
        switch memoryVisibility[row.objectID.entity.index] {
        case .always: true
        case .when(let condition): (try? condition.evaluate(with: LoneRow(snapshot: row))) ?? false
        case .unknown: false
        }
    }
}

/// A row of which only the own values are used.
private struct LoneRow: SnapshotObject {
    let snapshot: Snapshot

    func object(for snapshot: Snapshot) -> LoneRow { LoneRow(snapshot: snapshot) }

    func destination(of relationship: RelationshipDescription, id objectID: ManagedObjectID) -> Snapshot? { nil }

    func destinations(of relationship: RelationshipDescription) -> [Snapshot] { [] }
}
