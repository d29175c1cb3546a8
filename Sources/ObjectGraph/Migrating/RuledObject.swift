// SPDX-License-Identifier: Apache-2.0

// What the rules of a migration make of one object.

import ObjectModel
package import Predicates

/// The values that rules give an object of the new version.
package struct RuledObject {
    package var attributes: [(attribute: AttributeDescription, value: Value)] = []
    /// The destinations are objects of the new version.
    package var toOnes: [(relationship: RelationshipDescription, destination: ManagedObjectID?)] = []

    package init() {}
}

extension ResolvedMapping {
    /// Evaluates the rules for an object of the old version, or returns nil if their filter excludes it.
    package func ruled(
        _ object: some SnapshotObject,
        by plan: EntityPlan,
        _ rules: EntityRules,
        with evaluator: Evaluator
    ) throws -> RuledObject? {
        if let filter = rules.filter {
            let place = RulePlace(object.snapshot.objectID, "where")
            if try !place.evaluating({ try evaluator.matches(filter, object) }) { return nil }
        }
        var ruled = RuledObject()
        for (attribute, expression) in rules.attributes {
            let place = RulePlace(object.snapshot.objectID, attribute.name)
            let operand = try place.evaluating { try evaluator.operand(of: expression, for: object) }
            if case .value(.null) = operand {
                let fallback = plan.attributes[attribute.slot].fallback
                guard fallback != .null || attribute.attribute.isOptional else {
                    throw place.unsuitable(operand, attribute.type.name)
                }
                ruled.attributes.append((attribute, fallback))
                continue
            }
            guard case .value(let value) = operand, let accepted = attribute.type.accepting(value) else {
                throw place.unsuitable(operand, attribute.type.name)
            }
            ruled.attributes.append((attribute, accepted))
        }
        for (relationship, expression) in rules.toOnes {
            let place = RulePlace(object.snapshot.objectID, relationship.name)
            let entity = new.destination(of: relationship)
            switch try place.evaluating({ try evaluator.operand(of: expression, for: object) }) {
            case .value(.null): ruled.toOnes.append((relationship, nil))
            case .object(let destination as any SnapshotObject):
                let objectID = self.objectID(of: destination.snapshot.objectID)
                guard let objectID else {
                    ruled.toOnes.append((relationship, nil))
                    continue
                }
                guard objectID.entity.isKind(of: entity) else {
                    throw place.unsuitable(.object(destination), "an object of \(entity.name)")
                }
                ruled.toOnes.append((relationship, objectID))
            case let operand: throw place.unsuitable(operand, "an object of \(entity.name)")
            }
        }
        return ruled
    }
}

/// An object and the property of the new version that a rule computes for it.
private struct RulePlace {
    let objectID: ManagedObjectID
    let property: String

    init(_ objectID: ManagedObjectID, _ property: String) {
        self.objectID = objectID
        self.property = property
    }

    private var words: String {
        let number =
            switch objectID.reference {
            case .integer(let number): "\(number)"
            case .text(let text): text
            case nil: "?"
            }
        return "\(objectID.entity.name)/\(number): “\(property)”"
    }

    func evaluating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as EvaluationError {
            throw MigrationRuleError(message: "\(words) can't be computed: \(error)")
        }
    }

    func unsuitable(_ operand: Operand, _ expected: String) -> MigrationRuleError {
        let found =
            switch operand {
            case .value(let value): "the value \(value)"
            case .object: "an object"
            case .collection: "a collection"
            }
        return MigrationRuleError(message: "\(words) must be \(expected), but its rule yields \(found).")
    }
}

/// A rule of a migration can't be executed for an object. The store is as before.
public struct MigrationRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}
