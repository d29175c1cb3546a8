// SPDX-License-Identifier: Apache-2.0

// Replaces the names of one version of the model in predicates by those of another.

import ObjectGraph
import Predicates

/// The names of one version of the model in another one.
struct NameTranslation {
    /// The version whose names are given.
    let model: ManagedObjectModel
    /// The other name of an entity's property; the same for a name that isn't a property's.
    let property: (String, EntityDescription) -> String
    /// The other name of an entity.
    let entity: (String) -> String

    /// The predicate, which is valid for objects of an entity, with the other names.
    func translated(_ predicate: ObjectPredicate, of entity: EntityDescription) -> ObjectPredicate {
        translated(predicate, OperandTypeResolver(model: model, entity: entity))
    }

    func translated(_ expression: ObjectExpression, of entity: EntityDescription) -> ObjectExpression {
        translated(expression, OperandTypeResolver(model: model, entity: entity))
    }

    /// A value of `_entity`, or a list of them, with the other names.
    func translatedEntities(_ value: Value) -> Value {
        switch value {
        case .string(let name): .string(entity(name))
        case .array(let members): .array(members.map(translatedEntities))
        default: value
        }
    }

    private func translated(_ predicate: ObjectPredicate, _ types: OperandTypeResolver) -> ObjectPredicate {
        guard case .comparison(var comparison) = predicate else {
            return predicate.mappingParts({ translated($0, types) }, { translated($0, types) })
        }
        let left = comparison.left
        let right = comparison.right
        comparison.left = translated(left, types, isEntity: namesEntity(right, types))
        comparison.right = translated(right, types, isEntity: namesEntity(left, types))
        return .comparison(comparison)
    }

    /// - Parameter isEntity: Whether the expression is compared with the name of an entity.
    private func translated(
        _ expression: ObjectExpression,
        _ types: OperandTypeResolver,
        isEntity: Bool = false
    ) -> ObjectExpression {
        switch expression {
        case .constant(let value) where isEntity: return .constant(translatedEntities(value))
        case .aggregate(let members) where isEntity:
            return .aggregate(members.map { translated($0, types, isEntity: true) })
        case .keyPath(let root, let keys):
            return .keyPath(of: translated(root, types), translated(keys, from: types.end(of: root), types))
        case .subquery(let collection, let variable, let condition):
            var inner = types
            inner.variables[variable] = OperandType(kind: types.end(of: collection).kind)
            return .subquery(
                translated(collection, types),
                variable: variable,
                translated(condition, inner)
            )
        default: return expression.mappingParts({ translated($0, types) }, { translated($0, types) })
        }
    }

    private func translated(_ keys: [Key], from root: OperandType, _ types: OperandTypeResolver) -> [Key] {
        var end = root
        return keys.map { key in
            // Steps after a collection operator apply to the members.
            guard case .name(let name) = key else { return key }
            defer { end = types.step(name, from: end) }
            guard case .object(let owner) = end.kind else { return key }
            return .name(property(name, owner))
        }
    }

    /// Whether the expression is the name of an object's entity.
    private func namesEntity(_ expression: ObjectExpression, _ types: OperandTypeResolver) -> Bool {
        guard case .keyPath(let root, let keys) = expression, keys.last == .name("entity"),
            case .object(let owner) = types.follow(keys.dropLast(), from: types.end(of: root)).kind
        else { return false }
        return owner.property(named: "entity") == nil
    }
}
