// SPDX-License-Identifier: Apache-2.0

// Checks the rules of a migration against both versions.

import Predicates

extension MigrationReview {
    /// Removes what rules make possible or keep, and reports rules that can't be executed.
    mutating func reviewRules() {
        let (given, userInfo) = comparison.rules
        guard !given.isEmpty || !userInfo.isEmpty else { return }
        add(userInfo.issues)
        reviewNames(of: given)
        let mappings = ModelMapping(comparison).entities.compactMap { RuledEntity($0, in: comparison) }
        // What an entity declares is resolved if it is for all entities that inherit it.
        dropObstacles { issue in
            let affected = mappings.filter { issue.place.entity.map($0.line.contains) ?? false }
            return !affected.isEmpty
                && affected.allSatisfy { issue.place.property.map($0.mapping.ruledNames.contains) ?? false }
        }
        dropConsequences { issue in
            guard issue.code == .migrationLossAttribute || issue.code == .migrationLossRelationship,
                let property = issue.place.property, let entity = issue.place.entity
            else { return false }
            let affected = mappings.filter { $0.line.contains(entity) || $0.formerLine.contains(entity) }
            return !affected.isEmpty
                && affected.allSatisfy { $0.mapping.readNames.union($0.mapping.renamedNames).contains(property) }
        }
        for entity in mappings { review(entity.mapping, from: entity.source, to: entity.entity) }
    }

    /// Reports rules for what the new version doesn't have.
    private mutating func reviewNames(of rules: MappingRules) {
        for (name, rules) in rules.entities.sorted(by: { $0.key < $1.key }) {
            guard let entity = comparison.new.entity(named: name) else {
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name),
                    "The mapping has rules for “\(name)”, which the new version doesn't have.",
                    hint: "Rules are for entities of the new version."
                )
                continue
            }
            let source = comparison.oldEntity(for: entity)?.name
            if let given = rules.source, given != source {
                let isKnown = comparison.old.entity(named: given) != nil
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name),
                    isKnown
                        ? "The objects of “\(given)” become those of another entity, too."
                        : "The old version has no entity “\(given)”.",
                    hint: isKnown
                        ? "An entity of the old version has one in the new one."
                        : "“from” names an entity of the old version."
                )
            } else if source == nil, rules.filter != nil || !rules.values.isEmpty {
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name),
                    "The old version has no objects of “\(name)” to which the rules could apply.",
                    hint: "Say with “from” which entity they come from."
                )
            }
            let known = Set(
                ([entity] + comparison.new.ancestors(of: entity)).flatMap(\.properties).map(\.name)
            )
            let stored = StoredProperties(of: entity, in: comparison.new)
            let settable = Set(
                stored.attributes.filter { !$0.isDerived }.map(\.name) + stored.relationships.map(\.name)
            )
            for property in rules.values.keys.sorted() where known.contains(property) && !settable.contains(property) {
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name, property: property),
                    "“\(property)” isn't stored, or is derived, so no rule can give it.",
                    hint: "Remove the rule."
                )
            }
            for property in rules.values.keys.sorted() where !known.contains(property) {
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name, property: property),
                    "\(name) has no property “\(property)” in the new version.",
                    hint: "Rules are for properties of the new version."
                )
            }
        }
    }

    private mutating func review(_ mapping: EntityMapping, from source: Entity, to entity: Entity) {
        func place(_ property: String?) -> ModelIssue.Place {
            ModelIssue.Place(entity: entity.name, property: property)
        }
        if let filter = mapping.filter {
            add(comparison.old.check(filter, on: source, variables: [:]), at: place(nil))
        }
        for attribute in mapping.attributes {
            guard let expression = attribute.expression else { continue }
            add(comparison.old.check(expression, on: source, variables: [:]), at: place(attribute.name))
        }
        for relationship in mapping.relationships {
            guard let expression = relationship.expression else { continue }
            add(comparison.old.check(expression, on: source, variables: [:]), at: place(relationship.name))
            let declared = comparison.new.relationships(of: entity).first { $0.name == relationship.name }
            guard declared?.isToMany == true else { continue }
            addObstacle(
                .migrationRule,
                place(relationship.name),
                "The members of a to-many relationship can't be said by an expression.",
                hint: "Say the destination of its inverse, if that is to-one."
            )
        }
    }

    /// Adds the errors of a rule's expression. Warnings don't prevent a migration.
    private mutating func add(_ issues: [ModelIssue], at place: ModelIssue.Place) {
        for issue in issues where issue.severity == .error {
            addObstacle(
                .migrationRule,
                place,
                issue.message,
                hint: issue.hint ?? "Rules are over objects of the old version."
            )
        }
    }

    private mutating func add(_ issues: [ModelIssue]) {
        for issue in issues {
            addObstacle(.migrationRule, issue.place, issue.message, hint: issue.hint ?? "Correct the user info.")
        }
    }
}

/// An entity with a source, and what rules say about it.
private struct RuledEntity {
    let mapping: EntityMapping
    let entity: Entity
    let source: Entity
    /// The names of the entity and its ancestors, and those of the source.
    let line: Set<String>
    let formerLine: Set<String>

    init?(_ mapping: EntityMapping, in comparison: ModelComparison) {
        guard let entity = comparison.new.entity(named: mapping.name),
            let source = mapping.source.flatMap(comparison.old.entity(named:))
        else { return nil }
        self.mapping = mapping
        self.entity = entity
        self.source = source
        line = Set([entity.name] + comparison.new.ancestors(of: entity).map(\.name))
        formerLine = Set([source.name] + comparison.old.ancestors(of: source).map(\.name))
    }
}
