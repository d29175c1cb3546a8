// SPDX-License-Identifier: Apache-2.0

// The types that expressions have in a model, as far as comparisons need them.

import ObjectGraph
import ObjectModel
import Predicates

/// The type of an expression's result.
struct OperandType: Hashable {
    enum Kind: Hashable {
        case unknown
        case attribute(AttributeDescription)
        case object(EntityDescription)
        /// A part of a JSON value.
        case json
        // Computed values.
        case number
        case text
        case date
    }

    var kind: Kind
    var isMany = false

    static let unknown = OperandType(kind: .unknown)
}

/// Finds the types of expressions in a model. Invalid paths are `unknown`, since the model's check reports them.
struct OperandTypeResolver {
    let model: ManagedObjectModel
    let entity: EntityDescription
    /// The types of variables, including those of an enclosing `SUBQUERY`.
    var variables: [String: OperandType] = [:]

    func end(of expression: ObjectExpression) -> OperandType {
        switch expression {
        case .constant(let value): return end(of: value)
        case .evaluatedObject: return OperandType(kind: .object(entity))
        case .variable(let name): return variables[name] ?? .unknown
        case .argument: return .unknown
        case .keyPath(let root, let keys): return follow(keys[...], from: end(of: root))
        case .element(_, .size): return OperandType(kind: .number)
        case .element(let collection, _): return OperandType(kind: end(of: collection).kind)
        case .aggregate(let members): return OperandType(kind: common(members), isMany: true)
        case .function(let function, let operands): return end(of: function, operands: operands)
        case .cast(_, let type): return OperandType(kind: type.kind)
        case .ternary(_, let holds, let fails): return OperandType(kind: common([holds, fails]))
        case .subquery(let collection, _, _): return OperandType(kind: end(of: collection).kind, isMany: true)
        }
    }

    /// The type after some steps.
    func follow(_ keys: ArraySlice<Key>, from root: OperandType) -> OperandType {
        var end = root
        for (place, key) in zip(keys.indices, keys) {
            switch key {
            case .name(let name): end = step(name, from: end)
            case .argument: return .unknown
            case .collection(let aggregate):
                let rest = follow(keys[(place + 1)...], from: end)
                switch aggregate {
                case .count, .sum, .average: return OperandType(kind: .number)
                case .minimum, .maximum: return OperandType(kind: rest.kind)
                case .unionOfObjects, .distinctUnionOfObjects: return OperandType(kind: rest.kind, isMany: true)
                }
            }
        }
        return end
    }

    func step(_ name: String, from end: OperandType) -> OperandType {
        switch end.kind {
        case _ where name == "self": return end
        case .object where name == "objectID": return end
        case .object(let owner):
            switch owner.property(named: name) {
            case .attribute(let attribute): return OperandType(kind: .attribute(attribute), isMany: end.isMany)
            case .relationship(let relationship):
                let destination = model.destination(of: relationship)
                return OperandType(kind: .object(destination), isMany: end.isMany || relationship.isToMany)
            case nil where name == "entity": return OperandType(kind: .text, isMany: end.isMany)
            case nil where model.kind(of: name) != nil:
                return OperandType(kind: .object(model.kind(of: name) ?? owner), isMany: end.isMany)
            case .fetched, nil: return .unknown
            }
        case .attribute(let attribute):
            if let element = attribute.elements.first(where: { $0.name == name }) {
                return OperandType(kind: .attribute(element), isMany: end.isMany)
            }
            if attribute.isJSON { return OperandType(kind: .json, isMany: end.isMany) }
            return name == "length" ? OperandType(kind: .number, isMany: end.isMany) : .unknown
        case .json: return end
        case .text where name == "length": return OperandType(kind: .number, isMany: end.isMany)
        default: return .unknown
        }
    }

    private func end(of function: Function, operands: [ObjectExpression]) -> OperandType {
        switch function {
        case .uppercase, .lowercase, .canonical: return OperandType(kind: .text)
        case .now: return OperandType(kind: .date)
        case .minimum, .maximum, .mode: return OperandType(kind: common(operands))
        case .union, .intersect, .minus: return OperandType(kind: common(operands), isMany: true)
        case .noIndex: return operands.first.map(end) ?? .unknown
        // Arithmetic treats dates as seconds, so the result may be either.
        case _ where operands.contains { end(of: $0).isDate }: return .unknown
        default: return OperandType(kind: .number)
        }
    }

    private func end(of value: Value) -> OperandType {
        switch value {
        case .integer, .double, .decimal: OperandType(kind: .number)
        case .string, .uri: OperandType(kind: .text)
        case .date: OperandType(kind: .date)
        case .array(let members): OperandType(kind: members.first.map { end(of: $0).kind } ?? .unknown, isMany: true)
        default: .unknown
        }
    }

    private func common(_ members: [ObjectExpression]) -> OperandType.Kind {
        members.lazy.map { end(of: $0).kind }.first { $0 != .unknown } ?? .unknown
    }
}

extension OperandType {
    /// Whether values are JSON of any kind, possibly lists.
    var isJSON: Bool {
        switch kind {
        case .json: true
        case .attribute(let attribute): attribute.isJSON
        default: false
        }
    }

    var isDate: Bool {
        switch kind {
        case .date: true
        case .attribute(let attribute): attribute.type == .date
        default: false
        }
    }

    /// Whether operators on text apply.
    var isText: Bool {
        switch kind {
        case .text: true
        case .attribute(let attribute): attribute.type == .string || attribute.type == .uri
        default: false
        }
    }
}

extension AttributeDescription {
    /// Whether its values are JSON of any kind.
    fileprivate var isJSON: Bool {
        switch type {
        case .transformable, .undefined: true
        default: false
        }
    }
}

extension CastType {
    fileprivate var kind: OperandType.Kind {
        switch self {
        case .number, .decimal: .number
        case .string, .uri: .text
        case .date: .date
        case .data, .uuid, .dictionary, .reference: .unknown
        }
    }
}
