// SPDX-License-Identifier: Apache-2.0

// The obstacles to an inferred migration of properties, and its consequences.

extension MigrationReview {
    mutating func review(from old: Property, to new: Property, in entity: Entity) {
        let place = ModelIssue.Place(entity: entity.name, property: new.name)
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): review(from: old, to: new, place)
        case (.relationship(let old), .relationship(let new)): review(from: old, to: new, place)
        case (.fetched, .fetched): break
        default:
            addObstacle(
                .migrationKind,
                place,
                "“\(old.name)” was \(old.article) and becomes \(new.article).",
                hint: "Give the new property another name, and a rule for its values (outcrop migrate --mapping)."
            )
        }
    }

    mutating func reviewAdded(_ property: Property, pair: ModelComparison.EntityPair) {
        if let before = comparison.predecessor(of: property, in: pair.old) {
            return review(from: before.property, to: property, in: pair.new)
        }
        let owners = concreteEntities(below: pair.new, in: comparison.new).filter { entity in
            guard let old = comparison.oldEntity(for: entity), !old.isAbstract else { return false }
            return comparison.predecessor(of: property, in: old) == nil
        }
        if let owner = owners.first { reviewNew(property, of: owner, declaredBy: pair.new) }
    }

    mutating func reviewRemoved(_ property: Property, pair: ModelComparison.EntityPair) {
        if let after = comparison.successor(of: property, in: pair.new) {
            review(from: property, to: after.property, in: pair.new)
        }
        let losers = concreteEntities(below: pair.old, in: comparison.old).filter { entity in
            guard let new = comparison.newEntity(for: entity) else { return false }
            return comparison.successor(of: property, in: new) == nil
        }
        if let loser = losers.first { reviewLost(property, of: loser, declaredBy: pair.new) }
    }

    /// Reviews the properties that an entity gains or loses through a new place in the hierarchy.
    mutating func reviewInheritance(_ pair: ModelComparison.EntityPair) {
        guard !pair.old.isAbstract, !pair.new.isAbstract else { return }
        let before = comparison.old.ancestors(of: pair.old)
        let after = comparison.new.ancestors(of: pair.new)
        let known = Set(before.map { comparison.newName(ofEntity: $0.name) })
        for ancestor in after where !known.contains(ancestor.name) {
            for property in ancestor.properties where comparison.predecessor(of: property, in: pair.old) == nil {
                reviewNew(property, of: pair.new, declaredBy: pair.new)
            }
        }
        let kept = Set(after.map(\.name))
        for ancestor in before where !kept.contains(comparison.newName(ofEntity: ancestor.name)) {
            for property in ancestor.properties where comparison.successor(of: property, in: pair.new) == nil {
                reviewLost(property, of: pair.old, declaredBy: pair.new)
            }
        }
    }

    private mutating func reviewNew(_ property: Property, of owner: Entity, declaredBy declaring: Entity) {
        let place = ModelIssue.Place(entity: declaring.name, property: property.name)
        switch property {
        case .attribute(let attribute) where attribute.needsValue:
            requireValue(of: attribute, place, "Objects of \(owner.name) have no value for the new attribute.")
        case .relationship(let relationship) where !relationship.isOptional && !relationship.isTransient:
            addNote(
                .migrationRelationship,
                place,
                relationship.isToMany
                    ? "The new relationship of \(owner.name) is empty. It may stay so, but can't be emptied once it is set."
                    : "The new relationship of \(owner.name) is empty; objects can't be changed until it is set."
            )
        default: break
        }
    }

    private mutating func reviewLost(_ property: Property, of owner: Entity, declaredBy declaring: Entity) {
        let place = ModelIssue.Place(entity: declaring.name, property: property.name)
        switch property {
        case .attribute(let attribute) where attribute.isStored:
            addLoss(
                .migrationLossAttribute,
                place,
                "The values of “\(attribute.name)” of all objects of \(owner.name) are lost."
            )
        case .relationship(let relationship) where !relationship.isTransient && !isKeptByInverse(relationship):
            addLoss(
                .migrationLossRelationship,
                place,
                "The references in “\(relationship.name)” of all objects of \(owner.name) are lost."
            )
        default: break
        }
    }

    /// Whether the inverse remains, and with it the links.
    private func isKeptByInverse(_ relationship: Relationship) -> Bool {
        guard let inverse = comparison.old.inverse(of: relationship), !inverse.isTransient,
            let destination = comparison.old.entity(named: relationship.destinationName),
            let newDestination = comparison.newEntity(for: destination)
        else { return false }
        return comparison.successor(of: .relationship(inverse), in: newDestination) != nil
    }

    private mutating func review(from old: Attribute, to new: Attribute, _ place: ModelIssue.Place) {
        guard old.isStored, new.isStored || new.isDerived else {
            if old.isStored {
                addLoss(.migrationLossAttribute, place, "The values of “\(old.name)” are lost: it becomes transient.")
            }
            if !old.isDerived, new.needsValue { requireValue(of: new, place, "Existing objects have no value for it.") }
            return
        }
        let differ = comparison.aspects(from: .attribute(old), to: .attribute(new)).map(\.aspect)
        if differ.contains(.type), !old.type.isConvertible(to: new.type) {
            addTypeObstacle(from: old, to: new, place)
        } else if differ.contains(.composite) {
            addObstacle(
                .migrationType,
                place,
                "The attributes of its composite change.",
                hint:
                    "Add an attribute of a new composite under another name, and give it a rule (outcrop migrate --mapping)."
            )
        } else if differ.contains(.transformer) {
            addNote(.migrationTransformer, place, "Existing values remain as the old transformer wrote them.")
        }
        if old.isOptional, new.needsValue {
            requireValue(of: new, place, "It becomes required, but existing objects may have no value.")
        }
    }

    mutating func addTypeObstacle(from old: Attribute, to new: Attribute, _ place: ModelIssue.Place) {
        addObstacle(
            .migrationType,
            place,
            "The type changes from \(old.type.name) to \(new.type.name), which can't hold each of its values.",
            hint: "Give a rule for its values: outcrop migrate --mapping, or migrationValue in its user info."
        )
    }

    private mutating func requireValue(of attribute: Attribute, _ place: ModelIssue.Place, _ message: String) {
        addObstacle(
            .migrationRequired,
            place,
            message,
            hint: "Give “\(attribute.name)” a default value, or make it optional."
        )
    }

    private mutating func review(from old: Relationship, to new: Relationship, _ place: ModelIssue.Place) {
        if old.isTransient { return }
        if new.isTransient {
            return addLoss(
                .migrationLossRelationship,
                place,
                "The references in “\(old.name)” are lost: it becomes transient."
            )
        }
        if old.isToMany, !new.isToMany {
            addLoss(.migrationLossCardinality, place, "Only one of several objects in “\(old.name)” is kept.")
        }
        let destination = comparison.newName(ofEntity: old.destinationName)
        if !comparison.new.isEntity(destination, kindOf: new.destinationName) {
            addLoss(
                .migrationLossDestination,
                place,
                "Objects that aren't a \(new.destinationName) are removed from “\(new.name)”."
            )
        }
        if old.isOptional, !new.isOptional {
            addNote(
                .migrationRelationship,
                place,
                new.isToMany
                    ? "Objects without a member of “\(new.name)” may stay so, but it can't be emptied once it is set."
                    : "Objects without a value of “\(new.name)” can't be changed until they have one."
            )
        }
    }

    /// An entity and its descendants, without abstract ones.
    private func concreteEntities(below entity: Entity, in model: Model) -> [Entity] {
        let isAbove = { (other: Entity) in model.ancestors(of: other).contains { $0.name == entity.name } }
        return model.entities.filter { !$0.isAbstract && ($0.name == entity.name || isAbove($0)) }
    }
}

extension Attribute {
    /// Whether a store holds values that were assigned to it.
    fileprivate var isStored: Bool { !isTransient && !isDerived }

    /// Whether objects require a value that no default provides.
    fileprivate var needsValue: Bool { isStored && !isOptional && defaultValue == nil }
}

extension Property {
    fileprivate var article: String { (kindName.first == "a" ? "an " : "a ") + kindName }
}
