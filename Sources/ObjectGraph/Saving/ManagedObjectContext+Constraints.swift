// SPDX-License-Identifier: Apache-2.0

// What becomes of objects whose values must be unique and aren't: two become one, as the merge policy says.

import Predicates

extension ManagedObjectContext {
    /// Makes objects of a violation differ, or one of them; throws where the policy doesn't allow that.
    func resolve(_ violations: [ConstraintViolation]) throws(GraphError) {
        guard mergePolicy.kind != .error else { throw .constraintConflicts(violations) }
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        for violation in violations {
            var objects = violation.objects.compactMap { registered[$0] }.filter { !$0.isDeleted }
            guard let survivor = try survivor(of: violation, &objects) else { continue }
            for object in objects where object !== survivor && !object.isDeleted && !survivor.isDeleted {
                try settle(object, against: survivor, violation.constraint)
            }
        }
        try processPendingChanges()
    }

    /// The object that goes on to have the values: the one that the store has, or else the first of the save.
    private func survivor(
        of violation: ConstraintViolation,
        _ objects: inout [ManagedObject]
    ) throws(GraphError) -> ManagedObject? {
        guard let stored = violation.stored else { return objects.isEmpty ? nil : objects.removeFirst() }
        let survivor = object(with: stored.objectID)
        if survivor.isFault { fill(survivor, with: stored) }
        return survivor
    }

    private func settle(
        _ object: ManagedObject,
        against survivor: ManagedObject,
        _ constraint: [PropertyDescription]
    ) throws(GraphError) {
        switch (object.isInserted, mergePolicy.kind) {
        case (true, .rollback): break
        case (true, _): try merge(object, into: survivor)
        case (false, .overwrite), (false, .mergeByPropertyObjectTrump): return delete(survivor)
        case (false, _): return takeBack(constraint, of: object)
        }
        delete(object)
    }

    /// Gives what a new object has to the one that has its place. Where both have a value, the policy decides.
    private func merge(_ object: ManagedObject, into survivor: ManagedObject) throws(GraphError) {
        let initial = Row(of: object.entity)
        for attribute in survivor.entity.attributes
        where attribute.slot < object.entity.attributes.count && !attribute.isDerived
            && object.entity.attributes[attribute.slot] == attribute
        {
            let value = object.row.attributes[attribute.slot]
            let isSet = value != initial.attributes[attribute.slot]
            let isTaken = survivor.row.attributes[attribute.slot] != initial.attributes[attribute.slot]
            let wins =
                switch mergePolicy.kind {
                case .overwrite: true
                case .mergeByPropertyObjectTrump: isSet
                default: isSet && !isTaken
                }
            if wins { try survivor.setValue(value, of: attribute) }
        }
        for relationship in survivor.entity.relationships where object.entity.relationships.contains(relationship) {
            if relationship.isToMany {
                for member in try object.objects(of: relationship) { try survivor.add(member, to: relationship) }
            } else if let destination = try object.object(of: relationship) {
                let taken = try survivor.object(of: relationship)
                if mergePolicy.kind == .mergeByPropertyStoreTrump, taken != nil { continue }
                try survivor.setObject(destination, of: relationship)
            }
        }
    }

    /// Gives the values of a constraint up that were changed.
    private func takeBack(_ constraint: [PropertyDescription], of object: ManagedObject) {
        guard let committed = object.snapshot?.row else { return }
        for case .attribute(let attribute) in constraint {
            perform(.attribute(object, slot: attribute.slot, committed.attributes[attribute.slot]))
        }
        for case .relationship(let relationship) in constraint where !relationship.isToMany {
            perform(.toOne(object, slot: relationship.slot, committed.toOnes[relationship.slot]))
        }
        settle(object)
    }
}
