// SPDX-License-Identifier: Apache-2.0

// Comparisons of attributes, as predicates.

public import Predicates

extension AttributeKey {
    public static func == (key: Self, value: Content) -> ObjectPredicate { key.compared(.equal, value) }

    public static func != (key: Self, value: Content) -> ObjectPredicate { key.compared(.notEqual, value) }

    public static func == (key: Self, other: Self) -> ObjectPredicate { key.compared(.equal, to: other) }

    public static func != (key: Self, other: Self) -> ObjectPredicate { key.compared(.notEqual, to: other) }

    /// Whether it is one of some values.
    public func isIn(_ values: some Sequence<Content>) -> ObjectPredicate {
        path.compared(.in, .constant(.array(values.map(\.value))))
    }

    fileprivate func compared(
        _ operator: Comparison.Operator,
        _ value: some ValueConvertible,
        _ options: Comparison.Options = []
    ) -> ObjectPredicate {
        path.compared(`operator`, .constant(value.value), options)
    }

    fileprivate func compared(_ operator: Comparison.Operator, to other: Self) -> ObjectPredicate {
        path.compared(`operator`, to: other.path)
    }
}

extension AttributeKey where Content.Unwrapped: Comparable {
    public static func < (key: Self, value: Content.Unwrapped) -> ObjectPredicate { key.compared(.less, value) }

    public static func <= (key: Self, value: Content.Unwrapped) -> ObjectPredicate {
        key.compared(.lessOrEqual, value)
    }

    public static func > (key: Self, value: Content.Unwrapped) -> ObjectPredicate { key.compared(.greater, value) }

    public static func >= (key: Self, value: Content.Unwrapped) -> ObjectPredicate {
        key.compared(.greaterOrEqual, value)
    }

    public static func < (key: Self, other: Self) -> ObjectPredicate { key.compared(.less, to: other) }

    public static func <= (key: Self, other: Self) -> ObjectPredicate { key.compared(.lessOrEqual, to: other) }

    public static func > (key: Self, other: Self) -> ObjectPredicate { key.compared(.greater, to: other) }

    public static func >= (key: Self, other: Self) -> ObjectPredicate { key.compared(.greaterOrEqual, to: other) }

    /// Whether it is in a range, including its bounds.
    public func isBetween(_ range: ClosedRange<Content.Unwrapped>) -> ObjectPredicate {
        path.compared(.between, .constant(.array([range.lowerBound.value, range.upperBound.value])))
    }
}

extension AttributeKey where Content.Unwrapped == String {
    /// Whether it equals a text with the options.
    public func equals(_ text: String, options: Comparison.Options) -> ObjectPredicate {
        compared(.equal, text, options)
    }

    public func contains(_ text: String, options: Comparison.Options = []) -> ObjectPredicate {
        compared(.contains, text, options)
    }

    public func begins(with text: String, options: Comparison.Options = []) -> ObjectPredicate {
        compared(.beginsWith, text, options)
    }

    public func ends(with text: String, options: Comparison.Options = []) -> ObjectPredicate {
        compared(.endsWith, text, options)
    }

    /// Whether it matches a pattern with `*` for any characters and `?` for one.
    public func like(_ pattern: String, options: Comparison.Options = []) -> ObjectPredicate {
        compared(.like, pattern, options)
    }

    /// Whether all of it matches a regular expression.
    public func matches(_ regularExpression: String, options: Comparison.Options = []) -> ObjectPredicate {
        compared(.matches, regularExpression, options)
    }
}
