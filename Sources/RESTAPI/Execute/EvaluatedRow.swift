// SPDX-License-Identifier: Apache-2.0

// Rows as expressions see them; related objects are read on demand.

import Basics
import ObjectGraph

/// A row of a reader.
struct EvaluatedRow<Reader: GraphReading>: SnapshotObject {
    let snapshot: Snapshot
    let reader: Reader

    func object(for snapshot: Snapshot) -> EvaluatedRow { EvaluatedRow(snapshot: snapshot, reader: reader) }

    func destination(of relationship: RelationshipDescription, id objectID: ManagedObjectID) throws -> Snapshot? {
        try reader.snapshots(of: [objectID])[0]
    }

    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot] {
        let related = try reader.related(along: relationship, owners: [snapshot.objectID], matching: nil)
        let rows = Dictionary(keepingFirst: related.rows.map { ($0.objectID, $0) })
        return related.members[0].compactMap { rows[$0] }
    }
}
