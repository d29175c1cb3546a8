// SPDX-License-Identifier: Apache-2.0

// The content of an atomic store in another version of its model.

import FoundationEssentials
import ObjectGraph
import Predicates

extension AtomicState {
    /// The same objects in another version of the model. They keep their numbers and versions.
    ///
    /// 1. A to-one relationship of the new version decides which objects are related: its to-many inverse follows.
    /// 2. If a relationship has no source but its inverse has, the inverse's members are the source.
    /// 3. Of several objects in a relationship that becomes to-one, the first remains.
    /// 4. What rules say takes precedence; objects that their filters exclude are deleted.
    func migrated(by mapping: ResolvedMapping) throws -> AtomicState {
        let (ruled, excluded) = try ruled(by: mapping)
        var remaining = self
        for objectID in excluded { remaining.remove(objectID) }
        let links = MigratedLinks(mapping, of: remaining, ruled: ruled)
        var migrated = AtomicState()
        for snapshot in remaining.rows.values {
            guard let plan = mapping.plan(of: snapshot.objectID.entity),
                let objectID = mapping.objectID(of: snapshot.objectID)
            else { continue }
            var row = Row(
                attributes: plan.attributes.map { $0.value(from: snapshot.row) },
                toOnes: plan.destination.toOnes.map { links.destination(of: $0, objectID) }
            )
            for (attribute, value) in ruled[snapshot.objectID]?.attributes ?? [] {
                row.attributes[attribute.slot] = value
            }
            migrated.put(Snapshot(objectID: objectID, version: snapshot.version, row: row))
        }
        migrated.change(links.lists)
        return migrated
    }

    /// What rules make of the objects, and the objects that they exclude.
    private func ruled(
        by mapping: ResolvedMapping
    ) throws -> (ruled: [ManagedObjectID: RuledObject], excluded: Set<ManagedObjectID>) {
        var ruled: [ManagedObjectID: RuledObject] = [:]
        var excluded: Set<ManagedObjectID> = []
        let generation = AtomicGeneration(self)
        let evaluator = Evaluator(now: .now)
        for plan in mapping.plans {
            guard let rules = plan.rules else { continue }
            for objectID in tables[plan.source]?.members ?? [] {
                guard let snapshot = rows[objectID] else { continue }
                let object = RowObject(snapshot: snapshot, generation: generation)
                if let result = try mapping.ruled(object, by: plan, rules, with: evaluator) {
                    ruled[objectID] = result
                } else {
                    excluded.insert(objectID)
                }
            }
        }
        return (ruled, excluded)
    }
}
