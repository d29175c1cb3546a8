// SPDX-License-Identifier: Apache-2.0

// Rows as expressions see them, with whatever they lead to read when it is asked for.

import ObjectGraph

/// One row of a reader's.
struct ReadObject<Reader: GraphReading>: SnapshotObject {
    let snapshot: Snapshot
    let reader: Reader

    func seen(_ snapshot: Snapshot) -> ReadObject { ReadObject(snapshot: snapshot, reader: reader) }

    func destination(of relationship: RelationshipDescription, _ objectID: ManagedObjectID) throws -> Snapshot? {
        try reader.snapshots(of: [objectID])[0]
    }

    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot] {
        let related = try reader.related(along: relationship, owners: [snapshot.objectID], matching: nil)
        let rows = Dictionary(related.rows.map { ($0.objectID, $0) }) { first, _ in first }
        return related.members[0].compactMap { rows[$0] }
    }
}
