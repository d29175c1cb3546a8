// SPDX-License-Identifier: Apache-2.0

// Equality of operands, including objects and collections.

extension Operand {
    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    /// The members of a collection, list or dictionary, otherwise nil.
    var members: [Operand]? {
        switch self {
        case .collection(let members): members
        case .value(.array(let values)): values.map(Operand.value)
        case .value(.dictionary(let dictionary)): dictionary.values.map(Operand.value)
        default: nil
        }
    }

    /// The operand's kind in words, for errors.
    var kind: String {
        switch self {
        case .value(let value): value.kind
        case .object: "an object"
        case .collection: "a collection"
        }
    }

    /// Compares objects and references by identity, and collections member by member.
    func isEqual(to other: Operand, _ options: Comparison.Options = []) -> Bool {
        switch (self, other) {
        case (.value(let left), .value(let right)):
            return left.isEqual(to: right, options)
        case (.object(let left), .object(let right)):
            if let left = left.reference, let right = right.reference { return left == right }
            guard let left = left.instance, let right = right.instance else { return false }
            return left == right
        case (.object(let object), .value(.reference(let reference))),
            (.value(.reference(let reference)), .object(let object)):
            return object.reference == reference
        case (.collection, .collection), (.collection, .value(.array)), (.value(.array), .collection):
            guard let left = members, let right = other.members, left.count == right.count else { return false }
            return zip(left, right).allSatisfy { $0.isEqual(to: $1, options) }
        default:
            return false
        }
    }
}

extension KeyValueObject {
    /// The identity of an instance, or nil for a value type.
    var instance: ObjectIdentifier? {
        type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : nil
    }
}
