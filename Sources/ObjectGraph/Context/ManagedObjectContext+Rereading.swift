// SPDX-License-Identifier: Apache-2.0

// What is to be read anew when only the names of changed objects are known.

extension ManagedObjectContext {
    /// What a merge needs to know and wasn't told.
    struct Reading {
        /// The rows of objects with changes.
        var rows: [ManagedObjectID: Snapshot] = [:]
        /// The members of relationships that have changes.
        var members: [(object: ManagedObject, slot: Int, members: [ManagedObjectID])] = []
        var goneIDs: [ManagedObjectID] = []
    }

    /// Reads what has changes here. Relationships to many that have none, and may have been changed by others, become faults.
    func reading(for changes: SavedChanges) throws(GraphError) -> Reading {
        var reading = Reading(goneIDs: changes.deletedIDs)
        let named = changes.insertedIDs + changes.updatedIDs + changes.deletedIDs
        guard !named.isEmpty else { return reading }
        let edited = changes.updatedIDs.filter { registered[$0]?.hasChanges ?? false }
        for (objectID, row) in zip(edited, try edited.isEmpty ? [] : source.snapshots(of: edited, staleness: .zero)) {
            reading.rows[objectID] = row
            if row == nil { reading.goneIDs.append(objectID) }
        }
        let suspects = suspects(of: Set(named.map(\.entity)))
        for (relationship, objects) in suspects {
            let changed = objects.filter { $0.toManys[relationship.slot].hasChanges && !$0.isInserted }
            guard !changed.isEmpty else { continue }
            let members = try source.members(of: relationship, owners: changed.map(\.objectID))
            reading.members += zip(changed, members).map { ($0, relationship.slot, $1) }
        }
        for (relationship, objects) in suspects {
            for object in objects where !object.toManys[relationship.slot].hasChanges && !object.isInserted {
                object.toManys[relationship.slot] = .fault(relationship)
                event.refresh(object)
            }
        }
        return reading
    }

    /// The objects with relationships to many that have been read, and that objects of some entities may have come to or left.
    private func suspects(of entities: Set<EntityDescription>) -> [RelationshipDescription: [ManagedObject]] {
        var suspects: [RelationshipDescription: [ManagedObject]] = [:]
        var isSuspect: [RelationshipDescription: Bool] = [:]
        for object in registered.values where !object.toManys.isEmpty && !object.isDeleted {
            for relationship in object.entity.toManys {
                let toMany = object.toManys[relationship.slot]
                guard !toMany.isFault || toMany.hasChanges else { continue }
                if isSuspect[relationship] == nil {
                    let destination = model.destination(of: relationship)
                    isSuspect[relationship] = entities.contains {
                        $0.kinds.overlaps(destination.kinds)
                            || relationship.isOrdered && $0.kinds.overlaps(object.entity.kinds)
                    }
                }
                if isSuspect[relationship] == true { suspects[relationship, default: []].append(object) }
            }
        }
        return suspects
    }
}
