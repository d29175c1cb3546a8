// SPDX-License-Identifier: Apache-2.0

// What the evaluator needs to know of an object: its values by key.

/// An object whose properties can be read by name.
public protocol KeyValueObject {
    /// What the object has under a key; nil where it has no such property.
    func operand(forKey key: String) throws -> Operand?

    /// Whether nothing says of which kind the values under a key are. To a function such a value is nil where it is of the wrong kind: one
    /// object doesn't have a predicate fail for all.
    func isUntyped(_ key: String) -> Bool

    /// The object's identity, where it has one. Objects are compared by it.
    var reference: ObjectReference? { get }
}

extension KeyValueObject {
    public func isUntyped(_ key: String) -> Bool { false }
}

/// What an expression comes to: a value, an object, or several of them.
///
/// Unlike `Value` this is not `Sendable`, since objects belong to their context.
public enum Operand {
    case value(Value)
    case object(any KeyValueObject)
    indirect case collection([Operand])

    public static var null: Operand { .value(.null) }
}
