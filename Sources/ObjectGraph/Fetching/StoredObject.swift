// SPDX-License-Identifier: Apache-2.0

// Objects as stored, without pending changes, for results of several stores that are combined here.

import Basics
import Predicates

/// Rows of some stores, and related rows, which are read when they are used.
///
/// A relationship is read for all known rows at once, so each step of a key path costs one call.
final class StoredRows {
    private let source: any RowProvider
    private var known: [Snapshot]
    private var rows: [ManagedObjectID: Snapshot?]
    private var members: [RelationshipDescription: [ManagedObjectID: [ManagedObjectID]]] = [:]

    init(_ snapshots: [Snapshot], of source: any RowProvider) {
        self.source = source
        known = snapshots
        rows = Dictionary(keepingFirst: snapshots.map { ($0.objectID, $0) })
    }

    func destination(
        of relationship: RelationshipDescription,
        id destination: ManagedObjectID
    ) throws(GraphError) -> Snapshot? {
        if rows[destination] == nil {
            try read(known.compactMap { $0.has(relationship) ? $0.row.toOnes[relationship.slot] : nil })
        }
        return rows[destination] ?? nil
    }

    func destinations(
        of relationship: RelationshipDescription,
        from owner: ManagedObjectID
    ) throws(GraphError) -> [Snapshot] {
        if members[relationship]?[owner] == nil {
            let read = members[relationship] ?? [:]
            let owners = known.filter { $0.has(relationship) && read[$0.objectID] == nil }.map(\.objectID)
            let found = try source.members(of: relationship, owners: owners)
            for (owner, ids) in zip(owners, found) { members[relationship, default: [:]][owner] = ids }
            try self.read(found.flatMap(\.self))
        }
        return members[relationship]?[owner]?.compactMap { rows[$0] ?? nil } ?? []
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

/// A row as an object for predicates and expressions.
struct StoredObject: SnapshotObject {
    let snapshot: Snapshot
    let rows: StoredRows

    func object(for snapshot: Snapshot) -> StoredObject { StoredObject(snapshot: snapshot, rows: rows) }

    func destination(of relationship: RelationshipDescription, id objectID: ManagedObjectID) throws -> Snapshot? {
        try rows.destination(of: relationship, id: objectID)
    }

    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot] {
        try rows.destinations(of: relationship, from: snapshot.objectID)
    }
}

extension Snapshot {
    fileprivate func has(_ relationship: RelationshipDescription) -> Bool {
        let relationships = relationship.isToMany ? objectID.entity.toManys : objectID.entity.toOnes
        return relationships.indices.contains(relationship.slot) && relationships[relationship.slot] == relationship
    }
}
