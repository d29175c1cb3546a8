// SPDX-License-Identifier: Apache-2.0

// Finds the entity of the objects that an expression may result in.

import ObjectGraph
import Predicates

/// The objects that an expression may result in.
enum ResultingObjects: Equatable {
    /// Only values.
    case none
    /// Objects of one entity, or nil.
    case some(EntityDescription)
    /// Objects of several entities, or objects and values: a key path from these may lead to any property.
    case mixed

    func joined(with other: ResultingObjects) -> ResultingObjects { self == other ? self : .mixed }
}

extension OperandTypeResolver {
    func objects(in expression: ObjectExpression) -> ResultingObjects {
        switch expression {
        case .constant, .argument, .cast, .element(_, .size): .none
        case .evaluatedObject, .variable, .keyPath: objects(of: end(of: expression))
        case .element(let collection, _), .subquery(let collection, _, _): objects(in: collection)
        case .aggregate(let members): objects(in: members)
        case .ternary(_, let holds, let fails): objects(in: [holds, fails])
        case .function(let function, let operands):
            switch function {
            case .union, .intersect, .minus, .noIndex, .minimum, .maximum, .mode: objects(in: operands)
            default: .none
            }
        }
    }

    private func objects(of type: OperandType) -> ResultingObjects {
        if case .object(let entity) = type.kind { .some(entity) } else { .none }
    }

    private func objects(in members: [ObjectExpression]) -> ResultingObjects {
        let all = members.filter { $0 != .constant(.null) }.map(objects)
        guard let first = all.first else { return .none }
        return all.dropFirst().reduce(first) { $0.joined(with: $1) }
    }
}
