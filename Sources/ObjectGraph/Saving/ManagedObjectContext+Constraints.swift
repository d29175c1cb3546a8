// SPDX-License-Identifier: Apache-2.0

// Resolving violations of uniqueness: two objects are merged into one, by the merge policy.

import Predicates

extension ManagedObjectContext {
    /// Resolves violations, or throws if the policy doesn't allow it.
    func resolve(_ violations: [ConstraintViolation]) throws(GraphError) {
        guard uniqueness != .error else { throw .constraintConflicts(violations) }
        undoManager?.disableRegistration()
        defer { undoManager?.enableRegistration() }
        for violation in violations {
            var objects = violation.objects.compactMap { registered[$0] }.filter { !$0.isDeleted }
            guard let survivor = try survivor(of: violation, &objects) else { continue }
            for object in objects where object !== survivor && !object.isDeleted && !survivor.isDeleted {
                try resolve(object, against: survivor, violating: violation.constraint)
            }
        }
        try processPendingChanges()
    }

    /// The object that replaced a new one in the latest save, since both had the same unique values, or nil. The merge
    /// policy determines which of the new values it got.
    public func survivor(of object: ManagedObject) -> ManagedObjectID? {
        guard var survivor = pending.survivors[object.objectID] else { return nil }
        while let next = pending.survivors[survivor] { survivor = next }
        return current(survivor)
    }

    private var uniqueness: MergePolicy.Kind { constraintPolicy ?? mergePolicy.kind }

    /// The object that keeps the values: the stored one, else one of the save that had them before, else the first.
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

    private func resolve(
        _ object: ManagedObject,
        against survivor: ManagedObject,
        violating constraint: [PropertyDescription]
    ) throws(GraphError) {
        switch (object.isInserted, uniqueness) {
        case (true, .rollback): pending.survivors[object.objectID] = survivor.objectID
        case (true, _):
            pending.survivors[object.objectID] = survivor.objectID
            try merge(object, into: survivor)
        case (false, .overwrite), (false, .mergeByPropertyObjectTrump): return delete(survivor)
        case (false, _): return try revertValues(constraint, of: object)
        }
        delete(object)
    }

    /// Copies what was set of a new object to its survivor, as a batch insert does. With `overwrite` all its attributes
    /// are copied, with `mergeByPropertyStoreTrump` none: a stored value counts as set, even nil or a default.
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
            // Primitive values are set without being marked as assigned.
            let isSet = object.assigned.contains(attribute.slot) || value != initial.attributes[attribute.slot]
            if isSet || uniqueness == .overwrite { try survivor.setValue(value, of: attribute) }
        }
    }

    /// Members are added; a many-to-many relationship that was set as a whole replaces the stored members, unless these
    /// win.
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
        // Unlinked first, so that deleting the object doesn't affect them.
        try object.setObjects([], of: relationship)
    }

    private func mergeDestination(
        of relationship: RelationshipDescription,
        _ object: ManagedObject,
        into survivor: ManagedObject
    ) throws(GraphError) {
        let destination = try object.object(of: relationship).flatMap { $0.isDeleted ? nil : $0 }
        if uniqueness == .mergeByPropertyStoreTrump {
            // A one-to-one partner has the relationship as well; it is linked if the survivor has no partner yet.
            let isOneToOne = relationship.inverse?.isToMany == false
            guard destination != nil, isOneToOne, try survivor.object(of: relationship) == nil else {
                // Deleting an object that was never saved must not affect a stored one.
                if destination?.isInserted == false { try object.setObject(nil, of: relationship) }
                return
            }
        }
        guard destination != nil || object.assigned.contains(object.entity.place(of: relationship)) else { return }
        try survivor.setObject(destination, of: relationship)
        try object.setObject(nil, of: relationship)
    }

    /// Reverts changed values of a constraint.
    private func revertValues(_ constraint: [PropertyDescription], of object: ManagedObject) throws(GraphError) {
        guard let committed = object.snapshot?.row else { return }
        for case .attribute(let attribute) in constraint {
            perform(.attribute(object, slot: attribute.slot, committed.attributes[attribute.slot]))
        }
        for case .relationship(let relationship) in constraint where !relationship.isToMany {
            let former = committed.toOnes[relationship.slot].map(self.object(with:))
            try object.setObject(former?.isDeleted == true ? nil : former, of: relationship)
        }
        markUnchangedIfAsSaved(object)
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
