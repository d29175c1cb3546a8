// SPDX-License-Identifier: Apache-2.0

// Conditions on objects, as values: what is true of an object, and how that is put together.

/// A condition on an object, as a value. Its text parses back to it, see `description`.
///
///     let popular = try ObjectPredicate("views > %d AND ANY tags.name == %@", 100, "swift")
///
/// Logic is two-valued: a predicate holds or it does not. See `docs/predicates.md` for what that means where values are nil.
public indirect enum ObjectPredicate: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`
    case constant(Bool)
    case comparison(Comparison)
    case not(ObjectPredicate)
    /// Two or more that must all hold. `all(of:)` makes one of any number.
    case and([ObjectPredicate])
    /// Two or more of which one must hold. `any(of:)` makes one of any number.
    case or([ObjectPredicate])

    /// The predicate that holds where all of these do; of none it is `TRUEPREDICATE`.
    public static func all(of predicates: [ObjectPredicate]) -> ObjectPredicate {
        predicates.isEmpty ? .constant(true) : predicates.count == 1 ? predicates[0] : .and(predicates)
    }

    /// The predicate that holds where one of these does; of none it is `FALSEPREDICATE`.
    public static func any(of predicates: [ObjectPredicate]) -> ObjectPredicate {
        predicates.isEmpty ? .constant(false) : predicates.count == 1 ? predicates[0] : .or(predicates)
    }

    /// The predicate that compares two expressions, which is what most predicates are.
    public static func comparing(
        _ left: ObjectExpression,
        _ operator: Comparison.Operator,
        _ right: ObjectExpression,
        modifier: Comparison.Modifier = .direct,
        options: Comparison.Options = []
    ) -> ObjectPredicate {
        .comparison(Comparison(left, `operator`, right, modifier: modifier, options: options))
    }
}
