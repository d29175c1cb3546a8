// SPDX-License-Identifier: Apache-2.0

/// An object with properties that can be read by name, as the evaluator requires.
public protocol KeyValueObject {
    /// The value of a property, or nil if there is no such property.
    func operand(forKey key: String) throws -> Operand?

    /// Whether the values of a property can be of any kind. Functions treat such a value as nil if its kind is wrong,
    /// so that one object doesn't make the predicate fail for all.
    func isUntyped(_ key: String) -> Bool

    /// The object's identity, which comparisons use, or nil.
    var reference: ObjectReference? { get }
}

extension KeyValueObject {
    public func isUntyped(_ key: String) -> Bool { false }
}

/// The result of an expression: a value, an object, or a collection.
///
/// Unlike `Value`, it is not `Sendable`, since objects belong to their context.
public enum Operand {
    case value(Value)
    case object(any KeyValueObject)
    indirect case collection([Operand])

    public static var null: Operand { .value(.null) }
}
