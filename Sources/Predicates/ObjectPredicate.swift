// SPDX-License-Identifier: Apache-2.0

/// A condition on an object, as a value. Its `description` parses back to it.
///
///     let popular = try ObjectPredicate("views > %d AND ANY tags.name == %@", 100, "swift")
///
/// Logic is two-valued: a predicate is either true or false. For nil values, see `docs/predicates.md`.
public indirect enum ObjectPredicate: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`
    case constant(Bool)
    case comparison(Comparison)
    case not(ObjectPredicate)
    /// A conjunction of two or more predicates. `all(of:)` accepts any number.
    case and([ObjectPredicate])
    /// A disjunction of two or more predicates. `any(of:)` accepts any number.
    case or([ObjectPredicate])

    /// The conjunction of the predicates; `TRUEPREDICATE` if there are none.
    public static func all(of predicates: [ObjectPredicate]) -> ObjectPredicate {
        predicates.isEmpty ? .constant(true) : predicates.count == 1 ? predicates[0] : .and(predicates)
    }

    /// The disjunction of the predicates; `FALSEPREDICATE` if there are none.
    public static func any(of predicates: [ObjectPredicate]) -> ObjectPredicate {
        predicates.isEmpty ? .constant(false) : predicates.count == 1 ? predicates[0] : .or(predicates)
    }

    /// Creates a comparison of two expressions.
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
