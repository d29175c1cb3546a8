// SPDX-License-Identifier: Apache-2.0

// The rules that a version of a model adds, and the objects that break them.

import ObjectModel
import Predicates

/// The rules of a new version that the values of an entity's objects needn't have obeyed before.
package struct NewRules {
    package let entity: EntityDescription
    private let attributes: [AttributeDescription]
    private let toOnes: [RelationshipDescription]
    /// The to-many relationships with new limits, whose members are to be counted.
    package let toManys: [RelationshipDescription]
    private let patterns: PatternChecker
    private var found: [String: Finding] = [:]

    private struct Finding {
        let failure: ValidationFailure
        var count = 0
        var examples: [Int64] = []
    }

    /// Nil if the version adds no rules.
    package init?(_ plan: ResolvedMapping.EntityPlan) {
        entity = plan.destination
        let patterns = PatternChecker()
        self.patterns = patterns
        attributes = plan.attributes.compactMap { attribute in
            let new = attribute.attribute
            guard new.isPersistent, !new.isDerived, new.isLimited else { return nil }
            if attribute.source == nil, !attribute.isRuled,
                new.failures(of: attribute.fallback, using: patterns).isEmpty
            {
                return nil
            }
            // A value that was converted may break a limit with the same words.
            let isSame =
                attribute.source.map { source in
                    source.rules == new.rules && (source.type == new.type || !new.rules.hasLimits)
                } ?? false
            return isSame ? nil : new
        }
        func isNew(_ relationship: RelationshipDescription) -> Bool {
            guard !relationship.isTransient, relationship.hasBounds else { return false }
            guard let before = plan.relationships[relationship.name] else { return true }
            return before.relationship.isOptional != relationship.relationship.isOptional
                || before.relationship.minimumCount != relationship.relationship.minimumCount
                || before.relationship.maximumCount != relationship.relationship.maximumCount
                || before.isToMany != relationship.isToMany
        }
        toOnes = plan.destination.toOnes.filter(isNew)
        toManys = plan.destination.toManys.filter(isNew)
        if attributes.isEmpty, toOnes.isEmpty, toManys.isEmpty { return nil }
    }

    /// Records what is wrong with an object.
    ///
    /// - Parameter memberCounts: The numbers of members in `toManys`.
    package mutating func check(_ snapshot: Snapshot, memberCounts: [Int]) {
        var failures = attributes.flatMap { $0.failures(of: snapshot.row.attributes[$0.slot], using: patterns) }
        for relationship in toOnes where snapshot.row.toOnes[relationship.slot] == nil {
            failures += [relationship.failure(ofCount: 0)].compactMap(\.self)
        }
        failures += zip(toManys, memberCounts).compactMap { $0.failure(ofCount: $1) }
        for failure in failures {
            let name = failure.property ?? ""
            var finding = found[name] ?? Finding(failure: failure)
            finding.count += 1
            if finding.examples.count < MigrationReport.Violation.exampleLimit,
                case .integer(let number) = snapshot.objectID.reference
            {
                finding.examples.append(number)
            }
            found[name] = finding
        }
    }

    /// What was found, by property.
    package var violations: [MigrationReport.Violation] {
        found.sorted { $0.key < $1.key }.map { name, finding in
            MigrationReport.Violation(
                entity: entity.name,
                properties: [name],
                message: finding.failure.message,
                objectCount: finding.count,
                examples: finding.examples
            )
        }
    }
}
