// SPDX-License-Identifier: Apache-2.0

// Reading and ending the relationships of many deleted objects.

import ObjectModel

extension ManagedObjectContext {
    /// Reads the members of a one-to-many relationship together with their rows, since a deletion changes or deletes
    /// them. Returns those that remain to be deleted or unlinked, to be kept until the deletion refers to them.
    ///
    /// If objects of their hierarchy are being deleted already, most of the members are expected to be among them; then
    /// only IDs are read, by `loadLinks`. The same applies to a child context: its parent may have other values.
    func loadDestinations(
        along relationship: RelationshipDescription,
        from objects: [ManagedObject]
    ) throws(GraphError) -> [ManagedObject] {
        guard relationship.isToMany, let inverse = relationship.inverseToOne, source === source.stores,
            !reachedHierarchies.contains(model.destination(of: relationship).rootIndex)
        else { return [] }
        let owners = try faults(of: relationship, among: objects)
        guard !owners.isEmpty else { return [] }
        let related = try source.stores.relatedToDelete(along: relationship, owners: owners.map(\.objectID))
        guard relationship.deleteRule == .cascade, canDelete(related, of: owners, along: relationship, inverse)
        else {
            let members = related.rows.map { row in
                // What is known of an object stays its base.
                if let known = registered[row.objectID], known.status != .fault || known.snapshot != nil {
                    return known
                }
                return object(of: row, refreshing: false)
            }
            adopt(related.members, of: relationship, owners)
            return members
        }
        for row in related.rows { deleteObject(of: row, unlinkedFrom: inverse.slot) }
        for (owner, members) in zip(owners, related.members) {
            owner.touchToManys()
            owner.toManys[relationship.slot].load(members)
            if owner.toManys[relationship.slot].removeAll() { markUpdated(owner) }
        }
        return []
    }

    /// Whether members can be deleted without being looked at one by one: nothing is known of them, none were added or
    /// removed here, they have no hooks, and nothing records edits.
    private func canDelete(
        _ related: RelatedRows,
        of owners: [ManagedObject],
        along relationship: RelationshipDescription,
        _ inverse: RelationshipDescription.Inverse
    ) -> Bool {
        guard !recordsUnlinking, owners.allSatisfy({ !$0.toMany(relationship).hasChanges }),
            related.members.reduce(0, { $0 + $1.count }) == related.rows.count
        else { return false }
        let owners = Set(owners.map(\.objectID))
        var owner: ManagedObjectID?
        var plain: EntityDescription?
        for row in related.rows {
            guard registered[row.objectID] == nil, let destination = row.row.toOnes[inverse.slot] else { return false }
            if destination != owner {
                guard owners.contains(destination) else { return false }
                owner = destination
            }
            if row.objectID.entity != plain {
                guard source.objectClass(for: row.objectID.entity) == ManagedObject.self else { return false }
                plain = row.objectID.entity
            }
        }
        return true
    }

    /// Registers the object of a row as deleted by a delete rule, without its reference to the object that is deleted
    /// with it.
    private func deleteObject(of row: Snapshot, unlinkedFrom slot: Int) {
        guard registered[row.objectID] == nil else { return }
        deferredErrors.recordChange()
        let object = makeObject(row.objectID, status: .fault)
        fill(object, with: row)
        object.row.toOnes[slot] = nil
        object.status = [.deleted, .consequence]
        addRegistered(object)
        deleted.append(object)
        event.delete(object, wasInserted: false)
        pending.unpropagated.append(object)
    }

    /// Whether the edits that unlink a deleted object have inverse edits to be recorded.
    var recordsUnlinking: Bool { undoManager != nil || deletionReplay != nil }

    /// Unlinks deleted objects from all destinations of a relationship with a to-many inverse, on both sides. The
    /// destinations may be faults.
    func unlinkAll(
        _ objects: [ManagedObject],
        along relationship: RelationshipDescription,
        _ inverse: RelationshipDescription.Inverse
    ) throws(GraphError) {
        let slot = relationship.slot
        if relationship.isToMany { try load(relationship, of: objects) }
        for object in objects {
            guard relationship.isToMany else {
                guard let destination = object.row.toOnes[slot] else { continue }
                removeMember(object.objectID, of: self.object(with: destination), inverse.slot)
                clearReference(of: object, slot)
                continue
            }
            guard let members = object.toMany(relationship).members, !members.isEmpty else { continue }
            for member in members { removeMember(object.objectID, of: self.object(with: member), inverse.slot) }
            if object.toManys[slot].removeAll() { markUpdated(object) }
        }
        deferredErrors.recordChange()
    }

    /// Unlinks a deleted object on both sides if nothing records the inverse edits: what the edits of
    /// `unlink(_:from:through:inverse:)` do, without an edit for each destination and side.
    func unlinkUnrecorded(_ links: DeletedLinks<ManagedObject>, _ inverse: RelationshipDescription.Inverse) {
        deferredErrors.recordChange()
        let object = links.object
        for destination in links.destinations {
            if inverse.isToMany {
                removeMember(object.objectID, of: destination, inverse.slot)
            } else if destination.refers(through: inverse.slot, to: object.objectID) {
                clearReference(of: destination, inverse.slot)
            }
        }
        let slot = links.relationship.slot
        guard links.relationship.isToMany else { return clearReference(of: object, slot) }
        object.touchToManys()
        guard pending.successors.isEmpty, object.toManys[slot].members?.count == links.destinations.count else {
            for destination in links.destinations { removeMember(destination.objectID, of: object, slot) }
            return
        }
        object.toManys[slot].removeAll()
        markUpdated(object)
    }

    private func removeMember(_ member: ManagedObjectID, of owner: ManagedObject, _ slot: Int) {
        owner.touchToManys()
        if owner.toManys[slot].remove(current(member)) { markUpdated(owner) }
    }

    private func clearReference(of object: ManagedObject, _ slot: Int) {
        guard !object.isFault else { return }
        assign(object, place: object.entity.attributes.count + slot)
        object.row.toOnes[slot] = nil
        markUpdated(object)
    }
}
