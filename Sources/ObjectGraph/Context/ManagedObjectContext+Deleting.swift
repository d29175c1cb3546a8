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
        unpropagated.append(object)
        perform(.delete(object))
    }

    /// Applies the delete rules in waves: each wave's faults are filled by one call per relationship. It ends, since no
    /// object is deleted twice; see `DeletionHooks`.
    func propagateDeletions() throws(GraphError) {
        guard !isPropagating else { return }
        isPropagating = true
        defer {
            isPropagating = false
            deletionHooks.finish()
        }
        while !unpropagated.isEmpty {
            let wave = unpropagated
            unpropagated = []
            do throws(GraphError) {
                try fire(wave)
                // A missing object needs no deletion.
                for object in wave where object.isGone { deleted.remove(object) }
                for (entity, objects) in grouped(wave.filter { !$0.status.contains(.missing) }) {
                    for relationship in entity.relationships {
                        try propagate(deletionOf: objects, along: relationship)
                    }
                }
                forgetUnsaved(wave)
            } catch {
                unpropagated = wave + unpropagated
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

    private func propagate(
        deletionOf deleted: [ManagedObject],
        along relationship: RelationshipDescription
    ) throws(GraphError) {
        // Objects that were never saved are unlinked whatever the rule: no save could deny their deletion.
        let objects = relationship.isFollowedByDeletion ? deleted : deleted.filter(isForgotten)
        let rule = relationship.deleteRule
        guard !objects.isEmpty, rule == .cascade || relationship.inverse != nil else { return }
        if relationship.isToMany { try load(relationship, of: objects) }
        let destinations = objects.map { self.destinations(of: relationship, from: $0) }
        if rule == .cascade || relationship.inverse?.isToMany == false { try fire(destinations.joined()) }
        if rule == .cascade {
            for (object, destinations) in zip(objects, destinations) {
                for destination in destinations
                where !destination.isDeleted && !destination.status.contains(.missing) {
                    deletionReplay?.beginDeletion(by: object)
                    prepareAndDelete(destination)
                    deletionReplay?.end()
                }
            }
        }
        guard let inverse = relationship.inverse else { return }
        for (object, destinations) in zip(objects, destinations) {
            if !inverse.isToMany {
                try rereadPartners(destinations, unlessReferring: inverse.slot, to: object.objectID)
            }
            for destination in destinations {
                deletionReplay?.begin(destination, relationship, of: object)
                unlink(object, from: destination, through: relationship, inverse: inverse)
                deletionReplay?.end()
            }
        }
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

    /// Objects by entity, both in order of appearance.
    private func grouped(_ objects: [ManagedObject]) -> [(EntityDescription, [ManagedObject])] {
        var groups: [(EntityDescription, [ManagedObject])] = []
        var places: [Int: Int] = [:]
        for object in objects {
            if let place = places[object.entity.index] {
                groups[place].1.append(object)
            } else {
                places[object.entity.index] = groups.count
                groups.append((object.entity, [object]))
            }
        }
        return groups
    }
}

extension RelationshipDescription {
    /// Whether the deletion of an object changes its destinations.
    var isFollowedByDeletion: Bool { deleteRule == .cascade || deleteRule == .nullify && inverse != nil }
}
