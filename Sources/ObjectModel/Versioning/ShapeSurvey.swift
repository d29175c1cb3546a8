// SPDX-License-Identifier: Apache-2.0

// Finds the counterparts of another version's entities and properties, and what its clients would lose.

import Predicates

/// Collects a `ShapeMapping`.
struct ShapeSurvey {
    /// A property, and the entity that declares it.
    private struct Member {
        let property: Property
        let owner: String
    }

    private let comparison: ModelComparison
    private let isLater: Bool
    private(set) var entities: [String: EntityShape] = [:]
    private(set) var differences: [ShapeDifference] = []

    init(_ comparison: ModelComparison, isLater: Bool) {
        self.comparison = comparison
        self.isLater = isLater
    }

    private var served: Model { isLater ? comparison.old : comparison.new }
    private var version: Model { isLater ? comparison.new : comparison.old }

    mutating func compare() {
        let pairs = comparison.pairs.map { pair in
            isLater ? (version: pair.new, served: pair.old) : (version: pair.old, served: pair.new)
        }
        let known = Set(pairs.map(\.version.name))
        for entity in version.entities where !known.contains(entity.name) {
            add("removed", "removed", entity: entity.name)
        }
        for pair in comparison.pairs {
            let name = isLater ? pair.new.name : pair.old.name
            for change in comparison.aspects(of: pair) where [.parent, .abstract].contains(change.aspect) {
                add(directed(change), entity: name)
            }
        }
        for pair in pairs {
            entities[pair.served.name] = EntityShape(
                name: pair.version.name,
                properties: properties(of: pair.version, as: pair.served)
            )
        }
        for pair in pairs {
            compareInherited(pair.served)
            compareConstraints(of: pair.served)
        }
        compareAddedEntities()
    }

    /// Objects of an entity that the other version doesn't have can be omitted among those of an abstract parent, but not
    /// where they would be the values of a relationship.
    private mutating func compareAddedEntities() {
        let destinations = Set(version.entities.flatMap(\.relationships).map(\.destinationName))
        for entity in served.entities where entities[entity.name] == nil {
            for parent in served.ancestors(of: entity) {
                guard let name = entities[parent.name]?.name, !parent.isAbstract || destinations.contains(name) else {
                    continue
                }
                add("added", "added below \(name)", entity: entity.name)
                break
            }
        }
    }

    private mutating func properties(of entity: Entity, as other: Entity) -> [String: PropertyShape] {
        var shapes: [String: PropertyShape] = [:]
        for isFetched in [false, true] {
            let members = Self.members(of: entity, in: version, areFetched: isFetched)
            let others = Self.members(of: other, in: served, areFetched: isFetched)
            var isFound = Array(repeating: false, count: members.count)
            for (position, origin) in counterparts(of: others, among: members).enumerated() {
                guard let origin else {
                    compareAdded(others[position])
                    continue
                }
                isFound[origin] = true
                shapes[others[position].property.name] = shape(of: members[origin], as: others[position].property)
            }
            for (member, isFound) in zip(members, isFound) where !isFound {
                add(
                    "removed",
                    "\(member.property.kindName) removed",
                    entity: member.owner,
                    property: member.property.name
                )
            }
        }
        return shapes
    }

    /// A property must be the same one in an entity and in those below it.
    private mutating func compareInherited(_ entity: Entity) {
        guard let shape = entities[entity.name], let parent = entity.parentName.flatMap({ entities[$0] }) else {
            return
        }
        for (name, inherited) in parent.properties where shape.properties[name]?.name != inherited.name {
            add("moved", "another property than in \(parent.name)", entity: shape.name, property: inherited.name)
        }
    }

    /// Objects that clients of the other version create have the same defaults in properties that they don't know.
    private mutating func compareConstraints(of entity: Entity) {
        guard let shape = entities[entity.name] else { return }
        let owners = [entity] + served.ancestors(of: entity)
        let attributes = owners.flatMap(\.attributes)
        for constraint in owners.flatMap(\.uniquenessConstraints) {
            let isFilledAlike = constraint.allSatisfy { name in
                shape.properties[name] == nil
                    && attributes.contains { $0.name == name && $0.defaultValue != nil && !$0.isDerived }
            }
            guard isFilledAlike else { continue }
            add("constraint", "\(constraint.joined(separator: ", ")) added, unique", entity: shape.name)
        }
    }

    private static func members(of entity: Entity, in model: Model, areFetched: Bool) -> [Member] {
        ([entity] + model.ancestors(of: entity)).flatMap { owner in
            owner.properties.filter { $0.isFetched == areFetched }.map { Member(property: $0, owner: owner.name) }
        }
    }

    /// The positions of the other version's members that the served ones correspond to.
    private func counterparts(of served: [Member], among members: [Member]) -> [Int?] {
        let names = members.map(\.property.versionedName)
        let servedNames = served.map(\.property.versionedName)
        guard isLater else { return Pairing(old: names, new: servedNames).origins }
        var places = [Int?](repeating: nil, count: served.count)
        for (position, origin) in Pairing(old: servedNames, new: names).origins.enumerated() {
            if let origin { places[origin] = position }
        }
        return places
    }

    /// Objects that clients of the other version create have no value for a property that they don't know.
    private mutating func compareAdded(_ member: Member) {
        let needsValue =
            switch member.property {
            case .attribute(let attribute):
                !attribute.isOptional && attribute.defaultValue == nil && !attribute.isTransient && !attribute.isDerived
            case .relationship(let relationship): !relationship.isOptional && !relationship.isTransient
            case .fetched: false
            }
        guard needsValue else { return }
        add(
            "added",
            "\(member.property.kindName) added, required",
            entity: entities[member.owner]?.name ?? member.owner,
            property: member.property.name
        )
    }

    private mutating func shape(of member: Member, as other: Property) -> PropertyShape {
        let changes =
            isLater
            ? comparison.aspects(from: other, to: member.property)
            : comparison.aspects(from: member.property, to: other)
        var shape = PropertyShape(name: member.property.name)
        for change in changes where matters(change, of: member.property, as: other, in: &shape) {
            add(directed(change), entity: member.owner, property: member.property.name)
        }
        return shape
    }

    /// Whether clients would lose something by a change; values that null has on the other side are recorded.
    private func matters(
        _ change: AspectChange,
        of property: Property,
        as other: Property,
        in shape: inout PropertyShape
    ) -> Bool {
        switch change.aspect {
        case .kind, .type, .transformer, .composite, .transient, .derived, .destination, .inverse, .toMany, .ordered:
            return true
        case .fetchRequest:
            guard case .fetched(let property) = property, case .fetched(let other) = other else { return true }
            let old = isLater ? other : property
            let new = isLater ? property : other
            return comparison.newName(ofEntity: old.fetchRequest.entityName) != new.fetchRequest.entityName
        case .optional: break
        default: return false
        }
        switch (property, other) {
        case (.attribute(let attribute), .attribute(let other)):
            if attribute.isDerived || other.isDerived { return false }
            if other.isOptional {
                shape.shownForNull = attribute.shownDefault
            } else {
                shape.storedForNull = other.defaultValue
            }
            return shape.shownForNull == nil && shape.storedForNull == nil
        case (.relationship(let relationship), .relationship(let other)):
            return !other.isOptional || !relationship.isToMany
        default: return false
        }
    }

    /// A change from the other version to the served one.
    private func directed(_ change: AspectChange) -> AspectChange {
        isLater ? AspectChange(change.aspect, old: change.new, new: change.old) : change
    }

    private mutating func add(_ change: AspectChange, entity: String, property: String? = nil) {
        add(change.aspect.rawValue, change.description, entity: entity, property: property)
    }

    /// Adds a difference once, although subentities have it too.
    private mutating func add(_ code: String, _ words: String, entity: String, property: String? = nil) {
        let difference = ShapeDifference(entity: entity, property: property, code: code, words: words)
        if !differences.contains(difference) { differences.append(difference) }
    }
}

extension Attribute {
    /// The default value if it can be shown in place of null, which takes a value of a simple type.
    fileprivate var shownDefault: Value? {
        switch type {
        case .binary, .composite, .transformable, .objectID, .undefined: nil
        default: defaultValue
        }
    }
}
