// SPDX-License-Identifier: Apache-2.0

// Deleting objects, and the effect on objects related to them.

import ObjectModel

extension ManagedObjectContext {
    /// Deletes an object with the next save. Delete rules are applied when changes are processed. Deleting a deleted
    /// object does nothing.
    public func delete(_ object: ManagedObject) {
        confinement.check()
        precondition(
            object.confinement === confinement,
            "An object can only be deleted in its own context. Get it there by its ID: context.object(with: object.objectID)."
        )
        prepareAndDelete(object)
        if !isPropagating, !deletionHooks.isRunning { deletionHooks.finish() }
    }

    func markDeleted(_ object: ManagedObject) {
        guard !object.isDeleted, registered[object.objectID] === object else { return }
        recordDeletion(of: object)
    }

    func recordDeletion(of object: ManagedObject) {
        pending.unpropagated.append(object)
        perform(.delete(object))
    }

    /// Applies the delete rules in waves: each wave's faults are filled by one call per relationship. It ends, since no
    /// object is deleted twice; see `DeletionHooks`.
    func propagateDeletions() throws(GraphError) {
        guard !isPropagating else { return }
        isPropagating = true
        defer {
            isPropagating = false
            reachedHierarchies = []
            deletionHooks.finish()
        }
        while !pending.unpropagated.isEmpty {
            let wave = pending.unpropagated
            pending.unpropagated = []
            for object in wave { reachedHierarchies.insert(object.entity.rootIndex) }
            do throws(GraphError) {
                try fire(wave)
                // A missing object needs no deletion.
                for object in wave where object.isGone { deleted.remove(object) }
                try applyDeleteRules(to: wave.filter { !$0.status.contains(.missing) })
                forgetUnsaved(wave)
            } catch {
                pending.unpropagated = wave + pending.unpropagated
                throw error
            }
        }
    }

    /// Objects that were never saved are just removed; undo keeps them if needed. If undo doesn't know them, nothing
    /// may refer to them.
    private func forgetUnsaved(_ objects: [ManagedObject]) {
        for object in objects where isForgotten(object) {
            registered[object.objectID] = nil
            if undoManager?.isRegistrationEnabled == false { unregisterDeleted(object) }
        }
    }

    /// Whether a save has nothing to do for an object's deletion.
    private func isForgotten(_ object: ManagedObject) -> Bool {
        object.isDeleted && !object.isGone && !deleted.contains(object)
    }

    /// Unlinks an object that is removed without a deletion, from all relationships that it knows itself.
    func unlinkFromAll(_ object: ManagedObject) {
        guard !object.isFault else { return }
        for relationship in object.entity.relationships where !(relationship.isToMany && object.toManys.isEmpty) {
            guard let inverse = relationship.inverse else { continue }
            for destination in destinations(of: relationship, from: object) {
                unlink(object, from: destination, through: relationship, inverse: inverse)
            }
        }
    }

    /// Unlinks an object that is removed without a deletion, from objects that refer to it without it knowing.
    func unlinkReferrers(from object: ManagedObject) {
        for other in inserted.members + updated.members where other !== object && !other.isFault {
            for relationship in other.entity.toOnes where other.refers(through: relationship.slot, to: object.objectID)
            {
                perform(.toOne(other, slot: relationship.slot, nil))
            }
            for relationship in other.entity.toManys
            where other.toMany(relationship).added.contains(object.objectID) {
                perform(.removeMember(other, slot: relationship.slot, object.objectID))
            }
        }
    }

    /// Unlinks two objects, on both sides.
    func unlink(
        _ object: ManagedObject,
        from destination: ManagedObject,
        through relationship: RelationshipDescription,
        inverse: RelationshipDescription.Inverse
    ) {
        if inverse.isToMany {
            perform(.removeMember(destination, slot: inverse.slot, object.objectID))
        } else if destination.refers(through: inverse.slot, to: object.objectID) {
            perform(.toOne(destination, slot: inverse.slot, nil))
        }
        if relationship.isToMany {
            perform(.removeMember(object, slot: relationship.slot, destination.objectID))
        } else {
            perform(.toOne(object, slot: relationship.slot, nil))
        }
    }

    private func destinations(of relationship: RelationshipDescription, from object: ManagedObject) -> [ManagedObject] {
        if relationship.isToMany {
            return (object.toMany(relationship).members?.members ?? []).map { self.object(with: $0) }
        }
        return object.row.toOnes[relationship.slot].map { [self.object(with: $0)] } ?? []
    }

    /// The links of some objects, read by one call.
    func loadLinks(
        along relationship: RelationshipDescription,
        from objects: [ManagedObject]
    ) throws(GraphError) -> [DeletedLinks<ManagedObject>] {
        if relationship.isToMany { try load(relationship, of: objects) }
        return objects.map { object in
            let destinations = destinations(of: relationship, from: object)
            return DeletedLinks(object: object, relationship: relationship, destinations: destinations)
        }
    }
}

extension ManagedObjectContext: DeletionGraph {
    typealias Failure = GraphError

    func links(
        along relationship: RelationshipDescription,
        from deleted: [ManagedObject]
    ) throws(GraphError) -> [DeletedLinks<ManagedObject>] {
        var deleted = deleted
        // Objects that were never saved are unlinked whatever the rule: no save could deny their deletion.
        if !relationship.isFollowedByDeletion {
            deleted = relationship.inverse == nil ? [] : deleted.filter(isForgotten)
        }
        if let inverse = relationship.inverse, inverse.isToMany, relationship.deleteRule == .nullify, !recordsUnlinking
        {
            try unlinkAll(deleted, along: relationship, inverse)
            return []
        }
        let members = try loadDestinations(along: relationship, from: deleted)
        defer { withExtendedLifetime(members) {} }
        let links = try loadLinks(along: relationship, from: deleted)
        if relationship.deleteRule == .cascade || relationship.inverseToOne != nil {
            try fire(links.flatMap(\.destinations))
        }
        return links
    }

    func cascade(_ links: DeletedLinks<ManagedObject>) {
        for destination in links.destinations where !destination.isDeleted && !destination.status.contains(.missing) {
            deletionReplay?.beginDeletion(by: links.object)
            prepareAndDelete(destination, isConsequence: true)
            deletionReplay?.end()
        }
    }

    /// The validation of the save decides.
    func deny(_: DeletedLinks<ManagedObject>) {}

    func unlink(_ links: DeletedLinks<ManagedObject>, inverse: RelationshipDescription.Inverse) throws(GraphError) {
        if !inverse.isToMany {
            try rereadPartners(links.destinations, unlessReferring: inverse.slot, to: links.object.objectID)
        }
        guard recordsUnlinking else { return unlinkUnrecorded(links, inverse) }
        for destination in links.destinations {
            deletionReplay?.begin(destination, links.relationship, of: links.object)
            unlink(links.object, from: destination, through: links.relationship, inverse: inverse)
            deletionReplay?.end()
        }
    }
}
