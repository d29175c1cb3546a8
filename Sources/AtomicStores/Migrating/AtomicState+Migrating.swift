// SPDX-License-Identifier: Apache-2.0

// The content of an atomic store in another version of its model.

import ObjectGraph
import Predicates

extension AtomicState {
    /// The same objects in another version of the model. They keep their numbers and versions.
    ///
    /// 1. A to-one relationship of the new version decides which objects are related: its to-many inverse follows.
    /// 2. If a relationship has no source but its inverse has, the inverse's members are the source.
    /// 3. Of several objects in a relationship that becomes to-one, the first remains.
    func migrated(by mapping: ResolvedMapping) -> AtomicState {
        let links = MigratedLinks(mapping, of: self)
        var migrated = AtomicState()
        for snapshot in rows.values {
            guard let plan = mapping.plan(of: snapshot.objectID.entity),
                let objectID = mapping.objectID(of: snapshot.objectID)
            else { continue }
            let row = Row(
                attributes: plan.attributes.map { $0.value(from: snapshot.row) },
                toOnes: plan.destination.toOnes.map { links.destination(of: $0, objectID) }
            )
            migrated.put(Snapshot(objectID: objectID, version: snapshot.version, row: row))
        }
        migrated.change(links.lists)
        return migrated
    }
}
