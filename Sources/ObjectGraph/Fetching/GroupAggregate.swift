// SPDX-License-Identifier: Apache-2.0

// Aggregate functions over groups, and how to find them in expressions.

public import Predicates

/// A function over the objects of a group: `count:(SELF)`, `sum:(views)`,
/// `count:(SELF.@distinctUnionOfObjects.author)`.
///
/// A collection function with one operand that isn't a list is an aggregate: `max:(a, b)` and `max:({a, b})` use the
/// values of one object. Nil values are ignored; over nothing the sum and the count are 0, all others nil.
public struct GroupAggregate: Hashable, Sendable {
    public let function: Function
    /// The value of each object.
    public let operand: ObjectExpression
    /// Whether equal values count once.
    public let isDistinct: Bool

    /// Nil if the expression isn't an aggregate itself.
    public init?(_ expression: ObjectExpression) {
        guard case .function(let function, let operands) = expression, operands.count == 1,
            Self.functions.contains(function)
        else { return nil }
        switch operands[0] {
        case .aggregate, .constant(.array): return nil
        case .keyPath(of: .evaluatedObject, let keys) where keys.first == .collection(.distinctUnionOfObjects):
            operand = keys.count == 1 ? .evaluatedObject : .keyPath(of: .evaluatedObject, Array(keys.dropFirst()))
            isDistinct = true
        // A value that isn't a key path has a collection operator only for this.
        case .keyPath(let value, [.collection(.distinctUnionOfObjects)]) where value.isTernary:
            operand = value
            isDistinct = true
        default:
            operand = operands[0]
            isDistinct = false
        }
        self.function = function
    }

    private static let functions: Set<Function> = [
        .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation,
    ]

    /// Whether it accepts only numbers.
    var isNumeric: Bool { [.sum, .average, .median, .standardDeviation].contains(function) }
}

extension ObjectExpression {
    /// The expression with its group aggregates replaced. A `SUBQUERY` has no group.
    public func replacingAggregates<E: Error>(
        _ replace: (GroupAggregate) throws(E) -> ObjectExpression
    ) throws(E) -> ObjectExpression {
        if let aggregate = GroupAggregate(self) { return try replace(aggregate) }
        if case .subquery = self { return self }
        return try mappingParts(
            { (part) throws(E) in try part.replacingAggregates(replace) },
            { (part) throws(E) in try part.replacingAggregates(replace) }
        )
    }

    /// Whether it contains an aggregate over a group.
    var hasAggregates: Bool {
        var count = 0
        _ = replacingAggregates { aggregate in
            count += 1
            return .constant(.null)
        }
        return count > 0
    }
}

extension ObjectPredicate {
    /// The predicate with its aggregates over groups replaced.
    public func replacingAggregates<E: Error>(
        _ replace: (GroupAggregate) throws(E) -> ObjectExpression
    ) throws(E) -> ObjectPredicate {
        try mappingParts(
            { (part) throws(E) in try part.replacingAggregates(replace) },
            { (part) throws(E) in try part.replacingAggregates(replace) }
        )
    }
}

extension ObjectExpression {
    fileprivate var isTernary: Bool {
        if case .ternary = self { true } else { false }
    }
}
