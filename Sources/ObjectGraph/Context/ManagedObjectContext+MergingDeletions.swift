// SPDX-License-Identifier: Apache-2.0

// Merges deletions that others have saved.

extension ManagedObjectContext {
    /// Removes objects that others have deleted. They stay readable while they are referenced, but nothing refers to
    /// them.
    func mergeDeletions(_ rows: [(objectID: ManagedObjectID, snapshot: Snapshot?)]) {
        guard !rows.isEmpty else { return }
        for (objectID, snapshot) in rows {
            let object = registered[objectID]
            if let snapshot { removeFromRelationships(snapshot.objectID, snapshot.row) }
            if let object, !object.isFault { removeFromRelationships(object.objectID, object.row) }
            if let object, !object.isInserted { removeGone(object, snapshot) }
        }
        let gone = Set(rows.map(\.objectID))
        let unrecordedRelationships = unrecordedRelationships(of: Set(gone.map(\.entity)))
        guard !unrecordedRelationships.isEmpty else { return }
        // Only the owners know which other members they have.
        for object in registered.values where !object.toManys.isEmpty && !object.isGone {
            for relationship in object.entity.toManys where unrecordedRelationships.contains(relationship) {
                let lost = object.toManys[relationship.slot].known(of: gone)
                for member in lost { object.toManys[relationship.slot].adopt(removed: member) }
                if !lost.isEmpty { event.refresh(object) }
            }
        }
    }

    /// Removes an object from the to-many relationships that its row belongs to.
    func removeFromRelationships(_ objectID: ManagedObjectID, _ row: Row) {
        for relationship in objectID.entity.toOnes {
            guard let inverse = relationship.inverse, inverse.isToMany, let owner = row.toOnes[relationship.slot] else {
                continue
            }
            adopt(removed: objectID, at: inverse.slot, of: owner)
        }
    }

    /// The relationships with members of some entities that no row records.
    private func unrecordedRelationships(of entities: Set<EntityDescription>) -> Set<RelationshipDescription> {
        let all = model.entities.lazy.flatMap(\.toManys).filter(\.isManyToMany)
        return Set(
            all.filter { [model] relationship in
                let kinds = model.destination(of: relationship).kinds
                return entities.contains { $0.kinds.overlaps(kinds) }
            }
        )
    }

    /// Removes an object whose row is gone; its values stay readable.
    private func removeGone(_ object: ManagedObject, _ snapshot: Snapshot?) {
        if object.isFault {
            if let row = snapshot ?? object.snapshot { fill(object, with: row) }
            if object.isFault { object.row = Row(nilOf: object.entity) }
        }
        pending.locked.remove(object)
        guard !object.isDeleted else { return }
        object.status = [.deleted, .missing]
        event.delete(object, wasInserted: false)
    }
}
