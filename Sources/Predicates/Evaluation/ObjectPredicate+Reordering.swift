// SPDX-License-Identifier: Apache-2.0

extension ObjectPredicate {
    /// The predicate with the cheap terms of each AND and OR first, so that the expensive ones are evaluated less
    /// often.
    ///
    /// Terms of equal cost keep their order. The result is the same, except that an error in one term may surface or be
    /// skipped depending on the order, and that `random` may be drawn in another order.
    public var reorderedForEvaluation: ObjectPredicate { reordered(depth: 0).predicate }

    fileprivate func reordered(depth: Int) -> (predicate: ObjectPredicate, cost: Cost) {
        guard depth < Evaluator.depthLimit else { return (self, .subquery) }
        switch self {
        case .and(let terms):
            let (terms, cost) = Self.reordered(terms, depth: depth)
            return (.and(terms), cost)
        case .or(let terms):
            let (terms, cost) = Self.reordered(terms, depth: depth)
            return (.or(terms), cost)
        case .constant, .not, .comparison:
            var cost = ownCost
            let predicate = mappingParts(
                { $0.reordered(depth: depth + 1, raising: &cost) },
                { $0.reordered(depth: depth + 1, raising: &cost) }
            )
            return (predicate, cost)
        }
    }

    fileprivate func reordered(depth: Int, raising cost: inout Cost) -> ObjectPredicate {
        let (predicate, own) = reordered(depth: depth)
        cost = max(cost, own)
        return predicate
    }

    private static func reordered(_ terms: [ObjectPredicate], depth: Int) -> ([ObjectPredicate], Cost) {
        let terms = terms.map { $0.reordered(depth: depth + 1) }
        let sorted = terms.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
        return (sorted.map(\.element.predicate), sorted.last?.element.cost ?? .constant)
    }

    /// The cost without that of its parts.
    private var ownCost: Cost {
        guard case .comparison(let comparison) = self else { return .constant }
        if comparison.modifier != .direct { return .toMany }
        switch comparison.operator {
        case .beginsWith, .endsWith, .contains: return .text
        case .like: return .pattern
        case .matches: return .regularExpression
        default: return comparison.options.isEmpty ? .constant : .text
        }
    }
}

extension ObjectExpression {
    /// The expression with its predicates reordered.
    fileprivate func reordered(depth: Int, raising cost: inout Cost) -> ObjectExpression {
        cost = max(cost, depth < Evaluator.depthLimit ? ownCost : .subquery)
        guard depth < Evaluator.depthLimit else { return self }
        return mappingParts(
            { $0.reordered(depth: depth + 1, raising: &cost) },
            { $0.reordered(depth: depth + 1, raising: &cost) }
        )
    }

    /// The cost without that of its parts.
    private var ownCost: Cost {
        switch self {
        case .constant, .variable, .argument, .evaluatedObject, .aggregate:
            return .constant
        case .keyPath(_, let keys):
            let isCollected = keys.contains { if case .collection = $0 { true } else { false } }
            return isCollected ? .toMany : keys.count > 1 ? .path : .attribute
        case .function(let function, _):
            return function.isAggregate ? .toMany : .calculation
        case .cast, .ternary:
            return .calculation
        case .element:
            return .toMany
        case .subquery:
            return .subquery
        }
    }
}

/// Cost classes of evaluation.
private enum Cost: Int, Comparable {
    case constant
    case attribute
    case path
    case calculation
    case text
    case pattern
    case regularExpression
    case toMany
    case subquery

    static func < (left: Cost, right: Cost) -> Bool { left.rawValue < right.rawValue }
}
