// SPDX-License-Identifier: Apache-2.0

// Relationships: consistent inverses, satisfiable counts, and delete rules that leave no dangling references.

import Predicates

extension ModelCheck {
    mutating func check(_ relationship: Relationship, of entity: Entity) {
        checkCounts(of: relationship, entity)
        let name = relationship.name
        guard let destination = model.entity(named: relationship.destinationName) else {
            let isMissing = relationship.destinationName.isEmpty
            if isMissing, isUnread(entity.name, name) { return }
            return report(
                .relationshipDestination,
                entity.name,
                name,
                isMissing
                    ? "“\(name)” has no destination."
                    : "“\(name)” has the unknown destination “\(relationship.destinationName)”.",
                hint: isMissing
                    ? nil : guess(relationship.destinationName) { $0.entities.map(\.name) }
            )
        }
        guard let inverseName = relationship.inverseName else {
            // A relationship that names this one as its inverse is reported there.
            if claimedInverses.contains([entity.name, name]) { return }
            return report(
                .relationshipInverse,
                entity.name,
                name,
                "“\(name)” has no inverse, so references to deleted objects remain in it.",
                hint: otherSide(of: relationship, from: entity, to: destination)
                    ?? "Add a relationship from \(destination.name) back to \(entity.name)."
            )
        }
        guard let inverse = hierarchy.inverse(of: relationship)?.relationship else {
            return report(
                .relationshipInverseUnknown,
                entity.name,
                name,
                "\(destination.name) has no relationship “\(inverseName)”, the inverse of “\(name)”.",
                hint: guess(inverseName) { $0.relationships(of: destination).map(\.name) }
            )
        }
        checkInverse(inverse, of: relationship, from: entity, to: destination)
        checkDeletion(relationship, inverse, from: entity, to: destination)
    }

    /// A suggestion to join two relationships: the only one back to the entity that has no inverse either.
    private mutating func otherSide(
        of relationship: Relationship,
        from entity: Entity,
        to destination: Entity
    ) -> String? {
        let others = candidates { $0.relationships(of: destination) }?.filter { other in
            other.destinationName == entity.name && other.inverseName == nil
                && (destination.name != entity.name || other.name != relationship.name)
                && !claimedInverses.contains([destination.name, other.name])
        }
        guard let other = others?.first, others?.count == 1 else { return nil }
        return "If “\(other.name)” of \(destination.name) is the other side, name each as the inverse of the other: "
            + "in JSON, \"\(relationship.head).\(other.name)\" and \"\(other.head).\(relationship.name)\"."
    }

    /// The relationships, by entity and name, that a relationship with a matching destination names as its inverse.
    static func claimedInverses(in model: Model, _ hierarchy: EntityHierarchy) -> Set<[String]> {
        var claimed: Set<[String]> = []
        for entity in model.entities {
            for relationship in entity.relationships {
                guard let (owner, inverse) = hierarchy.inverse(of: relationship) else { continue }
                let other = inverse.destinationName
                guard hierarchy.isEntity(other, kindOf: entity.name) || hierarchy.isEntity(entity.name, kindOf: other)
                else { continue }
                claimed.insert([owner.name, inverse.name])
            }
        }
        return claimed
    }

    private mutating func checkCounts(of relationship: Relationship, _ entity: Entity) {
        let name = relationship.name
        let minimum = relationship.minimumCount ?? 0
        let maximum = relationship.maximumCount ?? 0
        if relationship.isOrdered, !relationship.isToMany {
            let message = "“\(name)” is ordered, which has no meaning for a to-one relationship."
            report(.relationshipOrdered, entity.name, name, message)
        }
        if minimum < 0 || maximum < 0 {
            report(.relationshipCount, entity.name, name, "The count of “\(name)” can't be negative.")
        } else if !relationship.isToMany, minimum > 1 || maximum > 1 {
            let message = "“\(name)” is a to-one relationship, but its count is greater than 1."
            report(.relationshipCount, entity.name, name, message, hint: "Make it to-many.")
        } else if maximum > 0, minimum > maximum {
            report(
                .relationshipCount,
                entity.name,
                name,
                "The minimum count of “\(name)” is above its maximum count, so no number of objects is valid."
            )
        }
    }

    private mutating func checkInverse(
        _ inverse: Relationship,
        of relationship: Relationship,
        from entity: Entity,
        to destination: Entity
    ) {
        // An unknown destination is reported for the inverse itself.
        guard model.entity(named: inverse.destinationName) != nil else { return }
        let pair = "“\(relationship.name)” and “\(inverse.name)” of \(destination.name)"
        if !hierarchy.isEntity(inverse.destinationName, kindOf: entity.name),
            !hierarchy.isEntity(entity.name, kindOf: inverse.destinationName)
        {
            report(
                .relationshipInverseDestination,
                entity.name,
                relationship.name,
                "\(pair) can't be inverse: the destination of the latter is \(inverse.destinationName), not \(entity.name)."
            )
        } else if inverse.inverseName != relationship.name {
            report(
                .relationshipInverseMutual,
                entity.name,
                relationship.name,
                "\(pair) are not each other's inverse: the inverse of the latter is "
                    + (inverse.inverseName.map { "“\($0)”." } ?? "not set."),
                hint: "Set the inverse of “\(inverse.name)” to “\(relationship.name)”."
            )
        }
    }

    private mutating func checkDeletion(
        _ relationship: Relationship,
        _ inverse: Relationship,
        from entity: Entity,
        to destination: Entity
    ) {
        switch relationship.deleteRule {
        case .noAction:
            // If the deleted object holds the reference, no stored reference dangles.
            let isHeldByInverse = relationship.isToMany || !inverse.isToMany
            report(
                .relationshipNoAction,
                isMild: !isHeldByInverse,
                entity.name,
                relationship.name,
                "When an object of \(entity.name) is deleted, “\(inverse.name)” of \(destination.name) keeps a reference to "
                    + "it.",
                hint: "Set the delete rule to Nullify."
            )
        case .nullify where !inverse.isToMany && !inverse.isOptional && !inverse.isTransient:
            report(
                .relationshipRequiredInverse,
                entity.name,
                relationship.name,
                "Objects of \(entity.name) can't be deleted while they have “\(relationship.name)”, since "
                    + "\(destination.name) requires “\(inverse.name)”.",
                hint: "Set the delete rule to Cascade or Deny, or make “\(inverse.name)” optional."
            )
        default: break
        }
    }
}
