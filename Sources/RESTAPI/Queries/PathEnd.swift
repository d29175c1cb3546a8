// SPDX-License-Identifier: Apache-2.0

// The types that expressions have in a model, as far as comparisons need them.

import ObjectGraph
import ObjectModel
import Predicates

/// The type of an expression's result.
struct PathEnd: Hashable {
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

    static let unknown = PathEnd(kind: .unknown)
}

/// Finds the types of expressions in a model. Invalid paths are `unknown`, since the model's check reports them.
struct PathFollower {
    let model: ManagedObjectModel
    let entity: EntityDescription
    /// The types of variables, including those of an enclosing `SUBQUERY`.
    var variables: [String: PathEnd] = [:]

    func end(of expression: ObjectExpression) -> PathEnd {
        switch expression {
        case .constant(let value): return end(of: value)
        case .evaluatedObject: return PathEnd(kind: .object(entity))
        case .variable(let name): return variables[name] ?? .unknown
        case .argument: return .unknown
        case .keyPath(let root, let keys): return follow(keys[...], from: end(of: root))
        case .element(_, .size): return PathEnd(kind: .number)
        case .element(let collection, _): return PathEnd(kind: end(of: collection).kind)
        case .aggregate(let members): return PathEnd(kind: common(members), isMany: true)
        case .function(let function, let operands): return end(of: function, operands)
        case .cast(_, let type): return PathEnd(kind: type.kind)
        case .ternary(_, let holds, let fails): return PathEnd(kind: common([holds, fails]))
        case .subquery(let collection, _, _): return PathEnd(kind: end(of: collection).kind, isMany: true)
        }
    }

    /// The type after some steps.
    func follow(_ keys: ArraySlice<Key>, from root: PathEnd) -> PathEnd {
        var end = root
        for (place, key) in zip(keys.indices, keys) {
            switch key {
            case .name(let name): end = step(name, from: end)
            case .argument: return .unknown
            case .collection(let aggregate):
                let rest = follow(keys[(place + 1)...], from: end)
                switch aggregate {
                case .count, .sum, .average: return PathEnd(kind: .number)
                case .minimum, .maximum: return PathEnd(kind: rest.kind)
                case .unionOfObjects, .distinctUnionOfObjects: return PathEnd(kind: rest.kind, isMany: true)
                }
            }
        }
        return end
    }

    func step(_ name: String, from end: PathEnd) -> PathEnd {
        switch end.kind {
        case _ where name == "self": return end
        case .object where name == "objectID": return end
        case .object(let owner):
            switch owner.property(named: name) {
            case .attribute(let attribute): return PathEnd(kind: .attribute(attribute), isMany: end.isMany)
            case .relationship(let relationship):
                let destination = model.destination(of: relationship)
                return PathEnd(kind: .object(destination), isMany: end.isMany || relationship.isToMany)
            case nil where name == "entity": return PathEnd(kind: .text, isMany: end.isMany)
            case .fetched, nil: return .unknown
            }
        case .attribute(let attribute):
            if let element = attribute.elements.first(where: { $0.name == name }) {
                return PathEnd(kind: .attribute(element), isMany: end.isMany)
            }
            if attribute.isJSON { return PathEnd(kind: .json, isMany: end.isMany) }
            return name == "length" ? PathEnd(kind: .number, isMany: end.isMany) : .unknown
        case .json: return end
        case .text where name == "length": return PathEnd(kind: .number, isMany: end.isMany)
        default: return .unknown
        }
    }

    private func end(of function: Function, _ operands: [ObjectExpression]) -> PathEnd {
        switch function {
        case .uppercase, .lowercase, .canonical: return PathEnd(kind: .text)
        case .now: return PathEnd(kind: .date)
        case .minimum, .maximum, .mode: return PathEnd(kind: common(operands))
        case .union, .intersect, .minus: return PathEnd(kind: common(operands), isMany: true)
        case .noIndex: return operands.first.map(end) ?? .unknown
        // Arithmetic treats dates as seconds, so the result may be either.
        case _ where operands.contains { end(of: $0).isDate }: return .unknown
        default: return PathEnd(kind: .number)
        }
    }

    private func end(of value: Value) -> PathEnd {
        switch value {
        case .integer, .double, .decimal: PathEnd(kind: .number)
        case .string, .uri: PathEnd(kind: .text)
        case .date: PathEnd(kind: .date)
        case .array(let members): PathEnd(kind: members.first.map { end(of: $0).kind } ?? .unknown, isMany: true)
        default: .unknown
        }
    }

    private func common(_ members: [ObjectExpression]) -> PathEnd.Kind {
        members.lazy.map { end(of: $0).kind }.first { $0 != .unknown } ?? .unknown
    }
}

extension PathEnd {
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
    fileprivate var kind: PathEnd.Kind {
        switch self {
        case .number, .decimal: .number
        case .string, .uri: .text
        case .date: .date
        case .data, .uuid, .dictionary, .reference: .unknown
        }
    }
}
