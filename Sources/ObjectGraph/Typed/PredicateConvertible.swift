// SPDX-License-Identifier: Apache-2.0

// Values that can be used as conditions, and their combination.

public import Predicates

/// A predicate, or the key of a Boolean attribute.
public protocol PredicateConvertible {
    var predicate: ObjectPredicate { get }
}

extension ObjectPredicate: PredicateConvertible {
    public var predicate: ObjectPredicate { self }
}

extension AttributeKey: PredicateConvertible where Content.Unwrapped == Bool {
    public var predicate: ObjectPredicate { path.compared(.equal, .constant(.bool(true))) }
}

extension PredicateConvertible {
    public static func && (one: Self, other: some PredicateConvertible) -> ObjectPredicate {
        .and([one.predicate, other.predicate].flatMap { if case .and(let parts) = $0 { parts } else { [$0] } })
    }

    public static func || (one: Self, other: some PredicateConvertible) -> ObjectPredicate {
        .or([one.predicate, other.predicate].flatMap { if case .or(let parts) = $0 { parts } else { [$0] } })
    }

    public static prefix func ! (condition: Self) -> ObjectPredicate { .not(condition.predicate) }
}
