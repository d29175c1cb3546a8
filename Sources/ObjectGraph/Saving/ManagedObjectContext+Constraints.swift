// SPDX-License-Identifier: Apache-2.0

// What becomes of objects whose values must be unique and aren't: two become one, as the merge policy says.

import Predicates

extension ManagedObjectContext {
    /// Makes objects of a violation differ, or one of them; throws where the policy doesn't allow that.
    func resolve(_ violations: [ConstraintViolation]) throws(GraphError) {
        guard uniqueness != .error else { throw .constraintConflicts(violations) }
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

    /// The object that has the place of one that was new to the latest save, and whose unique values it had: by the merge policy that one
    /// became a change of it, or nothing. Nil where there is none.
    public func survivor(of object: ManagedObject) -> ManagedObjectID? {
        guard var survivor = survivors[object.objectID] else { return nil }
        while let next = survivors[survivor] { survivor = next }
        return current(survivor)
    }

    private var uniqueness: MergePolicy.Kind { constraintPolicy ?? mergePolicy.kind }

    /// The object that goes on to have the values: the one that the store has, or one of the save that had them before, or else
    /// the first.
    private func survivor(
        of violation: ConstraintViolation,
        _ objects: inout [ManagedObject]
    ) throws(GraphError) -> ManagedObject? {
        guard let stored = violation.stored else {
            guard !objects.isEmpty else { return nil }
            return objects.remove(at: objects.firstIndex { $0.hasKept(violation.constraint) } ?? 0)
        }
        let survivor = object(of: stored, refreshing: false)
        if survivor.isFault { fill(survivor, with: stored) }
        return survivor
    }

    private func settle(
        _ object: ManagedObject,
        against survivor: ManagedObject,
        _ constraint: [PropertyDescription]
    ) throws(GraphError) {
        switch (object.isInserted, uniqueness) {
        case (true, .rollback): survivors[object.objectID] = survivor.objectID
        case (true, _):
            survivors[object.objectID] = survivor.objectID
            try merge(object, into: survivor)
        case (false, .overwrite), (false, .mergeByPropertyObjectTrump): return delete(survivor)
        case (false, _): return try takeBack(constraint, of: object)
        }
        delete(object)
    }

    /// Gives what was set of a new object to the one that has its place, as a batch insert does. By `overwrite` all its attributes count,
    /// by `mergeByPropertyStoreTrump` none: what is stored was given once as well, be it nil or a default.
    private func merge(_ object: ManagedObject, into survivor: ManagedObject) throws(GraphError) {
        if uniqueness != .mergeByPropertyStoreTrump { try mergeAttributes(of: object, into: survivor) }
        for relationship in survivor.entity.relationships where object.entity.relationships.contains(relationship) {
            if relationship.isToMany {
                try mergeMembers(of: relationship, object, into: survivor)
            } else {
                try mergeDestination(of: relationship, object, into: survivor)
            }
        }
    }

    private func mergeAttributes(of object: ManagedObject, into survivor: ManagedObject) throws(GraphError) {
        let initial = Row(of: object.entity)
        for attribute in survivor.entity.attributes
        where attribute.slot < object.entity.attributes.count && !attribute.isDerived
            && object.entity.attributes[attribute.slot] == attribute
        {
            let value = object.row.attributes[attribute.slot]
            // A primitive value was set without anybody noticing.
            let isSet = object.assigned.contains(attribute.slot) || value != initial.attributes[attribute.slot]
            if isSet || uniqueness == .overwrite { try survivor.setValue(value, of: attribute) }
        }
    }

    /// Members come along; those to many on both sides that were set as a whole are the only ones then, unless the stored ones count.
    private func mergeMembers(
        of relationship: RelationshipDescription,
        _ object: ManagedObject,
        into survivor: ManagedObject
    ) throws(GraphError) {
        let members = try object.objects(of: relationship).filter { !$0.isDeleted }
        if relationship.isManyToMany, uniqueness != .mergeByPropertyStoreTrump,
            object.assigned.contains(object.entity.place(of: relationship))
        {
            try survivor.setObjects(members, of: relationship)
        } else {
            for member in members { try survivor.add(member, to: relationship) }
        }
        // What was handed on doesn't go with the object that handed it on.
        try object.setObjects([], of: relationship)
    }

    private func mergeDestination(
        of relationship: RelationshipDescription,
        _ object: ManagedObject,
        into survivor: ManagedObject
    ) throws(GraphError) {
        let destination = try object.object(of: relationship).flatMap { $0.isDeleted ? nil : $0 }
        if uniqueness == .mergeByPropertyStoreTrump {
            // One to one, the partner has the relationship as well, and follows where nobody has it yet.
            let isOneToOne = relationship.inverse?.isToMany == false
            guard destination != nil, isOneToOne, try survivor.object(of: relationship) == nil else {
                // What is stored doesn't go with an object that never was.
                if destination?.isInserted == false { try object.setObject(nil, of: relationship) }
                return
            }
        }
        guard destination != nil || object.assigned.contains(object.entity.place(of: relationship)) else { return }
        try survivor.setObject(destination, of: relationship)
        try object.setObject(nil, of: relationship)
    }

    /// Gives the values of a constraint up that were changed.
    private func takeBack(_ constraint: [PropertyDescription], of object: ManagedObject) throws(GraphError) {
        guard let committed = object.snapshot?.row else { return }
        for case .attribute(let attribute) in constraint {
            perform(.attribute(object, slot: attribute.slot, committed.attributes[attribute.slot]))
        }
        for case .relationship(let relationship) in constraint where !relationship.isToMany {
            let former = committed.toOnes[relationship.slot].map(self.object(with:))
            try object.setObject(former?.isDeleted == true ? nil : former, of: relationship)
        }
        settle(object)
    }
}

extension ManagedObject {
    /// Whether it had the same values at the last save.
    fileprivate func hasKept(_ properties: [PropertyDescription]) -> Bool {
        guard let committed = snapshot?.row else { return false }
        return properties.allSatisfy { property in
            switch property {
            case .attribute(let attribute): row.attributes[attribute.slot] == committed.attributes[attribute.slot]
            case .relationship(let relationship) where !relationship.isToMany:
                row.toOnes[relationship.slot] == committed.toOnes[relationship.slot]
            case .relationship, .fetched: false
            }
        }
    }
}
