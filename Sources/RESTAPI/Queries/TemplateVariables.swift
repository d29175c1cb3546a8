// SPDX-License-Identifier: Apache-2.0

// The types of templates' variables, for clients that provide values.

import ObjectGraph
import ObjectModel
import Predicates

/// A variable of a template and its type.
struct TemplateVariable: Equatable, Sendable {
    let name: String
    let end: OperandType

    /// The variables of a predicate on objects of an entity, sorted by name.
    static func list(_ predicate: ObjectPredicate, on entity: EntityDescription, in model: ManagedObjectModel) -> [Self]
    {
        var survey = VariableTypeCollector(types: OperandTypeResolver(model: model, entity: entity))
        survey.visit(predicate)
        return predicate.freeVariables.sorted().map { Self(name: $0, end: survey.ends[$0] ?? .unknown) }
    }

    /// The name of the type in the model.
    var typeName: String {
        switch end.kind {
        case .unknown, .json: "Any"
        case .attribute(let attribute): attribute.type.name
        case .object(let entity): entity.name
        case .number: "Double"
        case .text: "String"
        case .date: "Date"
        }
    }
}

private struct VariableTypeCollector {
    var types: OperandTypeResolver
    var ends: [String: OperandType] = [:]

    mutating func visit(_ predicate: ObjectPredicate) {
        if case .comparison(let comparison) = predicate {
            let isList = comparison.operator == .in || comparison.operator == .between
            record(comparison.right, as: OperandType(kind: types.end(of: comparison.left).kind, isMany: isList))
            record(comparison.left, as: OperandType(kind: types.end(of: comparison.right).kind))
        }
        predicate.forEachPart({ visit($0) }, { visit($0) })
    }

    private mutating func visit(_ expression: ObjectExpression) {
        guard case .subquery(let collection, let variable, let condition) = expression else {
            return expression.forEachPart({ visit($0) }, { visit($0) })
        }
        visit(collection)
        let shadowed = types.variables.updateValue(OperandType(kind: types.end(of: collection).kind), forKey: variable)
        visit(condition)
        types.variables[variable] = shadowed
    }

    private mutating func record(_ expression: ObjectExpression, as end: OperandType) {
        switch expression {
        case .variable(let name) where types.variables[name] == nil && ends[name] == nil: ends[name] = end
        case .aggregate(let members): for member in members { record(member, as: OperandType(kind: end.kind)) }
        case .function(_, let operands): for operand in operands { record(operand, as: OperandType(kind: end.kind)) }
        default: break
        }
    }
}
