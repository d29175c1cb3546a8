// SPDX-License-Identifier: Apache-2.0

// Objects as their stores have them, whatever is pending: for answers of several stores that are put together here.

import Predicates

/// Rows of some stores, and those that they lead to, which are read when they are asked for.
///
/// What is read for one row is read for all that are known, so that a key path costs a call for each step.
final class StoredRows {
    private let source: any ObjectSource
    private var known: [Snapshot]
    private var rows: [ManagedObjectID: Snapshot?]
    private var members: [RelationshipDescription: [ManagedObjectID: [ManagedObjectID]]] = [:]

    init(_ snapshots: [Snapshot], of source: any ObjectSource) {
        self.source = source
        known = snapshots
        rows = Dictionary(snapshots.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func destination(
        of relationship: RelationshipDescription,
        from snapshot: Snapshot
    ) throws(GraphError) -> StoredObject? {
        guard let destination = snapshot.row.toOnes[relationship.slot] else { return nil }
        if rows[destination] == nil {
            try read(known.compactMap { $0.has(relationship) ? $0.row.toOnes[relationship.slot] : nil })
        }
        return object(destination)
    }

    func destinations(
        of relationship: RelationshipDescription,
        from snapshot: Snapshot
    ) throws(GraphError) -> [StoredObject] {
        if members[relationship]?[snapshot.objectID] == nil {
            let read = members[relationship] ?? [:]
            let owners = known.filter { $0.has(relationship) && read[$0.objectID] == nil }.map(\.objectID)
            let found = try source.members(of: relationship, owners: owners)
            for (owner, ids) in zip(owners, found) { members[relationship, default: [:]][owner] = ids }
            try self.read(found.flatMap(\.self))
        }
        return members[relationship]?[snapshot.objectID]?.compactMap(object) ?? []
    }

    private func object(_ objectID: ManagedObjectID) -> StoredObject? {
        (rows[objectID] ?? nil).map { StoredObject(snapshot: $0, rows: self) }
    }

    private func read(_ objects: [ManagedObjectID]) throws(GraphError) {
        let unread = OrderedMembers(objects.lazy.filter { self.rows[$0] == nil }).members
        guard !unread.isEmpty else { return }
        for (objectID, snapshot) in zip(unread, try source.snapshots(of: unread, staleness: nil)) {
            rows[objectID] = .some(snapshot)
            if let snapshot { known.append(snapshot) }
        }
    }
}

/// A row as predicates and expressions see it.
struct StoredObject: KeyValueObject {
    let snapshot: Snapshot
    let rows: StoredRows

    var reference: ObjectReference? { snapshot.objectID.objectReference }

    func operand(forKey key: String) throws -> Operand? {
        switch snapshot.objectID.entity.property(named: key) {
        case .attribute(let attribute): return .value(snapshot.row.attributes[attribute.slot])
        case .relationship(let relationship) where relationship.isToMany:
            return .collection(try rows.destinations(of: relationship, from: snapshot).map(Operand.object))
        case .relationship(let relationship):
            return try rows.destination(of: relationship, from: snapshot).map(Operand.object) ?? .null
        case nil where key == "entity": return .value(.string(snapshot.objectID.entity.name))
        case .fetched, nil: return nil
        }
    }
}

extension Snapshot {
    fileprivate func has(_ relationship: RelationshipDescription) -> Bool {
        let relationships = relationship.isToMany ? objectID.entity.toManys : objectID.entity.toOnes
        return relationships.indices.contains(relationship.slot) && relationships[relationship.slot] == relationship
    }
}
