// SPDX-License-Identifier: Apache-2.0

// Whole numbers compared with attributes of a type that may be too small for them.

import Predicates

extension PredicateCheck {
    mutating func checkRange(_ comparison: Comparison) {
        for (side, other) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
            guard case .keyPath(of: .evaluatedObject, let keys) = side, let type = attributeType(at: keys[...]) else {
                continue
            }
            for case .integer(let number) in other.constants {
                guard let mismatch = type.mismatch(with: .integer(number)) else { continue }
                let message = "“\(ObjectPredicate.comparison(comparison))”: \(number) \(mismatch)."
                return report(.predicateRange, message, property: side.description)
            }
        }
    }

    /// The attribute type at the end of a key path.
    private func attributeType(at keys: ArraySlice<Key>) -> AttributeType? {
        var owner: Entity? = entity
        var type: AttributeType?
        for key in keys {
            guard case .name(let name) = key else { return nil }
            if let composite = type?.compositeName {
                type = model.composite(named: composite)?.attributes.first { $0.name == name }?.type
                continue
            }
            guard let entity = owner else { return nil }
            switch property(named: name, of: entity) {
            case .attribute(let attribute):
                owner = nil
                type = attribute.type
            case .relationship(let relationship): owner = model.entity(named: relationship.destinationName)
            case .fetched, nil: return nil
            }
        }
        return type == .int16 || type == .int32 ? type : nil
    }
}

extension ObjectExpression {
    /// The constants of an expression: itself, or the members of a list.
    var constants: [Value] {
        switch self {
        case .constant(.array(let values)): values
        case .constant(let value): [value]
        case .aggregate(let members):
            members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        default: []
        }
    }
}
