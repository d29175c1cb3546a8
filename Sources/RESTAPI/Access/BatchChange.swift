// SPDX-License-Identifier: Apache-2.0

// Conditions on objects as an update of many will leave them.

import ObjectGraph
import ObjectModel
import Predicates

/// The new values of an update, in conditions on the objects as they will be.
struct BatchChange {
    private let values: [String: ObjectExpression]
    private let entity: EntityDescription
    private let api: API
    private let types: OperandTypeResolver
    private let effects: BatchEffects

    /// - Parameter values: By the model's names of properties.
    init(_ values: [String: ObjectExpression], of entity: EntityDescription, in api: API) {
        self.values = values
        self.entity = entity
        self.api = api
        types = OperandTypeResolver(model: api.catalogue.model, entity: entity)
        effects = BatchEffects(updating: values.keys, of: entity, in: api.catalogue.model)
    }

    /// A condition on the changed object as one on the present one.
    func after(_ predicate: ObjectPredicate) throws(Problem) -> ObjectPredicate {
        guard case .comparison(let comparison) = predicate else {
            return try predicate.mappingParts(
                { (part) throws(Problem) in try after(part) },
                { (part) throws(Problem) in try after(part) }
            ).simplified
        }
        var changed = comparison
        changed.left = try after(comparison.left)
        changed.right = try after(comparison.right)
        guard case .constant = changed.left, case .constant = changed.right else { return .comparison(changed) }
        return .constant((try? ObjectPredicate.comparison(changed).evaluate(with: NoObject())) ?? false)
    }

    private func after(_ expression: ObjectExpression) throws(Problem) -> ObjectExpression {
        switch expression {
        case .keyPath(of: .evaluatedObject, let keys):
            guard case .name(let name)? = keys.first else { return expression }
            if entity.attribute(named: name)?.isDerived == true { throw .unknownAfter }
            if types.end(of: expression).isMany || keys.contains(where: { if case .name = $0 { false } else { true } })
            {
                throw .unknownAfter
            }
            guard let value = values[name] else {
                // Other objects of the batch change as well.
                if effects.mayChange(keys, from: entity) { throw .unknownAfter }
                return expression
            }
            if keys.count == 1 { return value }
            return .constant(try self.value(of: Array(keys.dropFirst()), from: value, of: name))
        case .keyPath(_, let keys) where effects.mayChange(keys, from: nil): throw .unknownAfter
        case .subquery, .element: throw .unknownAfter
        default:
            return try expression.mappingParts(
                { (part) throws(Problem) in try after(part) },
                { (part) throws(Problem) in try after(part) }
            )
        }
    }

    /// The value at the end of a path from an object that the update sets.
    private func value(of keys: [Key], from value: ObjectExpression, of name: String) throws(Problem) -> Value {
        // A part of a composite isn't evaluated here.
        guard case .constant(let constant) = value, let relationship = entity.relationship(named: name),
            !effects.mayChange(keys, from: types.model.destination(of: relationship))
        else { throw .unknownAfter }
        guard case .reference(let reference) = constant, let objectID = api.names.objectID(forURI: reference.uri) else {
            return .null
        }
        do {
            return try api.coordinator.read { reader in
                guard let row = try reader.snapshots(of: [objectID])[0] else { return .null }
                let object = EvaluatedRow(snapshot: row, reader: reader)
                return try ObjectExpression.keyPath(of: .evaluatedObject, keys).evaluate(with: object).constant
            }
        } catch {
            throw .failed(error)
        }
    }
}

/// The object of comparisons of constants.
struct NoObject: KeyValueObject {
    var reference: ObjectReference? { nil }

    func operand(forKey key: String) throws -> Operand? { nil }
}

extension Problem {
    /// For a condition whose result after a batch isn't known before it.
    fileprivate static var unknownAfter: Problem {
        Problem(
            .forbidden,
            "The access rules have a condition that can't be checked for a batch.",
            hint: "Change the objects in a transaction."
        )
    }
}
