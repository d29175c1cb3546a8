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
        for mapping in ModelMapping(comparison).entities {
            guard let entity = comparison.new.entity(named: mapping.name),
                let source = mapping.source.flatMap(comparison.old.entity(named:))
            else { continue }
            let line = Set([entity.name] + comparison.new.ancestors(of: entity).map(\.name))
            let ruled = mapping.ruledNames
            dropObstacles {
                $0.place.entity.map(line.contains) == true && $0.place.property.map(ruled.contains) == true
            }
            let read = mapping.readNames.union(mapping.sourceNames)
            let formerLine = Set([source.name] + comparison.old.ancestors(of: source).map(\.name))
            dropConsequences {
                $0.place.entity.map { line.contains($0) || formerLine.contains($0) } == true
                    && $0.place.property.map(read.contains) == true
            }
            review(mapping, from: source, to: entity)
        }
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
            if let source = rules.source, comparison.old.entity(named: source) == nil {
                addObstacle(
                    .migrationRule,
                    ModelIssue.Place(entity: name),
                    "The old version has no entity “\(source)”.",
                    hint: "“from” names an entity of the old version."
                )
            }
            let known = Set(
                ([entity] + comparison.new.ancestors(of: entity)).flatMap(\.properties).map(\.name)
            )
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
