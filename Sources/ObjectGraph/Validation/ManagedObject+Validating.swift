// SPDX-License-Identifier: Apache-2.0

// The default implementations of the validation hooks, which check the model's rules.

import ObjectModel
import Predicates

extension ManagedObject {
    /// Throws the failures of the object's values and relationships.
    final func checkValues() throws {
        let context = confinement.context
        if context.validation == nil { try context.fire(self) }
        let failures = try modelFailures(context.validation?.patterns ?? PatternChecker())
        context.validation?.record(failures, of: self)
        try failures.check()
    }

    /// Throws the failures of the object's deletion.
    final func checkDeletion() throws {
        let failures = try deletionFailures()
        confinement.context.validation?.record(failures, of: self)
        try failures.check()
    }

    /// Throws the failures of a value.
    final func check(_ value: inout Value, forKey key: String) throws {
        let context = confinement.context
        if let asked = context.valueCheck, asked.object === self, asked.attribute.name == key {
            value = asked.attribute.accepting(value) ?? value
            let failures = completed(asked.attribute.failures(of: value, using: asked.patterns))
            context.valueCheck?.seen = (value, failures)
            return try failures.check()
        }
        switch entity.property(named: key) {
        case .attribute(let attribute):
            guard let accepted = attribute.accepting(value) else {
                throw GraphError.wrongType(value, for: attribute, of: self)
            }
            value = accepted
            // The save computes derived values.
            guard !attribute.isDerived else { return }
            try completed(attribute.failures(of: value, using: PatternChecker())).check()
        case .relationship(let relationship):
            guard let count = relationship.count(of: value) else {
                throw GraphError.wrongType(value, for: relationship, of: self)
            }
            try completed(relationship.failure(ofCount: count).map { [$0] } ?? []).check()
        case .fetched, nil: throw GraphError.unknownKey(key, of: entity)
        }
    }

    /// The failures of the object's values and relationships. Each value is passed to `validate(_:forKey:)` once.
    final func modelFailures(_ patterns: PatternChecker) throws(GraphError) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        if !isFault {
            for attribute in entity.attributes where !attribute.isDerived || !attribute.isPersistent {
                failures += try valueFailures(of: attribute, patterns)
            }
        }
        for relationship in entity.relationships {
            if needsMembers(for: relationship) { try confinement.context.load(relationship, of: [self]) }
            failures += countFailures(of: relationship) + lossFailures(of: relationship)
        }
        return completed(failures)
    }

    /// Whether a deny rule, or a hook, may keep the object from being deleted.
    final var canDenyDeletion: Bool { hasHooks || entity.deniesDeletions }

    /// Deny rules consider all objects that are deleted together.
    final func deletionFailures() throws(GraphError) -> [ValidationFailure] {
        let denying = entity.relationships.filter { $0.deleteRule == .deny && !status.contains(.missing) }
        return try denying.map { (relationship) throws(GraphError) in
            try confinement.context.loadLinks(along: relationship, from: [self])[0].denial { !$0.isDeleted }
        }.compactMap(\.self)
    }

    /// The failures with the object that they belong to.
    final func completed(_ failures: [ValidationFailure]) -> [ValidationFailure] {
        failures.map { failure in
            var completed = failure
            completed.objectID = objectID
            completed.entityName = entity.name
            return completed
        }
    }

    private func valueFailures(
        of attribute: AttributeDescription,
        _ patterns: PatternChecker
    ) throws(GraphError) -> [ValidationFailure] {
        let context = confinement.context
        var value = row.attributes[attribute.slot]
        if !hasHooks, attribute.accepting(value).map({ $0 == value }) ?? true {
            return completed(attribute.failures(of: value, using: patterns))
        }
        let outer = context.valueCheck
        context.valueCheck = ValueCheck(object: self, attribute: attribute, patterns: patterns)
        defer { context.valueCheck = outer }
        let thrown = try ValidationFailures.thrown { try validate(&value, forKey: attribute.name) }
        if value != row.attributes[attribute.slot] { try setValue(value, of: attribute) }
        value = row.attributes[attribute.slot]
        // An override may have replaced the checked value, or not have called `super`.
        let found =
            if let seen = context.valueCheck?.seen, seen.value == value { seen.failures } else {
                attribute.failures(of: value, using: patterns)
            }
        return completed(found).adding(completed(thrown))
    }

    /// Whether the members must be loaded to be counted. Adding to a relationship without bounds doesn't need them.
    private func needsMembers(for relationship: RelationshipDescription) -> Bool {
        guard relationship.isToMany, !toManys.isEmpty else { return false }
        let toMany = toManys[relationship.slot]
        guard toMany.isFault, toMany.hasChanges else { return false }
        return relationship.limitsAdditions || !relationship.relationship.isOptional && !toMany.removed.isEmpty
    }

    /// Unchanged relationships are as they were saved.
    private func countFailures(of relationship: RelationshipDescription) -> [ValidationFailure] {
        let count: Int
        if relationship.isToMany {
            guard !toManys.isEmpty, let members = toManys[relationship.slot].members,
                isInserted || toManys[relationship.slot].hasChanges
            else { return [] }
            count = members.count
        } else {
            guard !isFault else { return [] }
            count = row.toOnes[relationship.slot] == nil ? 0 : 1
        }
        return relationship.failure(ofCount: count).map { [$0] } ?? []
    }

    /// An object that was deleted before it was ever saved can't be a destination.
    private func lossFailures(of relationship: RelationshipDescription) -> [ValidationFailure] {
        let context = confinement.context
        func isLost(_ objectID: ManagedObjectID) -> Bool {
            objectID.isTemporary && context.current(objectID).isTemporary && !context.hasUnsaved(objectID)
        }
        let lost: ManagedObjectID?
        if relationship.isToMany {
            guard relationship.inverseToOne == nil, !toManys.isEmpty else { return [] }
            lost = toManys[relationship.slot].added.first(where: isLost)
        } else {
            guard !isFault, let destination = row.toOnes[relationship.slot] else { return [] }
            lost = isLost(destination) ? destination : nil
        }
        guard let lost else { return [] }
        return [
            ValidationFailure(
                .referentialIntegrity,
                "\(entity.name).\(relationship.name) refers to an object that was deleted before it was saved.",
                property: relationship.name,
                value: .reference(lost.objectReference)
            )
        ]
    }
}

extension RelationshipDescription {
    /// The number of objects that a value names; nil if it isn't a value of such a relationship.
    fileprivate func count(of value: Value) -> Int? {
        switch value {
        case .null: 0
        case .reference where !isToMany: 1
        case .array(let members) where isToMany: members.count
        default: nil
        }
    }
}

extension GraphError {
    fileprivate static func wrongType(
        _ value: Value,
        for relationship: RelationshipDescription,
        of object: ManagedObject
    ) -> GraphError {
        GraphError(
            .wrongType,
            "\(object.entity.name).\(relationship.name) refers to \(relationship.isToMany ? "objects" : "an object") and can't be "
                + "\(ObjectExpression.constant(value)).",
            object: object.objectID,
            property: relationship.name,
            hint: relationship.isToMany
                ? "Give a list of references." : "Give a reference or nil."
        )
    }
}
