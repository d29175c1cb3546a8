// SPDX-License-Identifier: Apache-2.0

// Stored rows as objects for expressions.

/// An object as stored, without the changes of a batch.
struct CommittedObject: SnapshotObject {
    let snapshot: Snapshot
    let graph: RowGraph

    func object(for snapshot: Snapshot) -> CommittedObject { CommittedObject(snapshot: snapshot, graph: graph) }

    func destination(of _: RelationshipDescription, id objectID: ManagedObjectID) throws -> Snapshot? {
        try graph.snapshot(objectID)
    }

    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot] {
        let members = try graph.members(of: relationship, owners: [snapshot.objectID])[0]
        try graph.load(members)
        return try members.compactMap(graph.snapshot)
    }
}
