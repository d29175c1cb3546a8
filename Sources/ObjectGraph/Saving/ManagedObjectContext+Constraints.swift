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
                switch uniqueness {
                case .overwrite: true
                case .mergeByPropertyObjectTrump: isSet
                default: isSet && !isTaken
                }
            if wins { try survivor.setValue(value, of: attribute) }
        }
        for relationship in survivor.entity.relationships where object.entity.relationships.contains(relationship) {
            if relationship.isToMany {
                for member in try object.objects(of: relationship) where !member.isDeleted {
                    try survivor.add(member, to: relationship)
                }
                // What was handed on doesn't go with the object that handed it on.
                try object.setObjects([], of: relationship)
            } else if let destination = try object.object(of: relationship), !destination.isDeleted {
                let taken = try survivor.object(of: relationship)
                if uniqueness == .mergeByPropertyStoreTrump, taken != nil { continue }
                try survivor.setObject(destination, of: relationship)
                try object.setObject(nil, of: relationship)
            }
        }
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
