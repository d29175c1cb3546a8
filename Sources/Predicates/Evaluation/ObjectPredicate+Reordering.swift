// SPDX-License-Identifier: Apache-2.0

// Puts the terms that cost little before those that cost much.

extension ObjectPredicate {
    /// The same predicate with the cheap terms of each AND and OR first, so that the others are evaluated less often.
    ///
    /// Terms of equal cost stay as they are. The result is the same, except that an error may come up which the original
    /// order would have passed over, or the reverse, and that `random` may be drawn in another order.
    public var reorderedForEvaluation: ObjectPredicate { reordered(depth: 0).predicate }

    private func reordered(depth: Int) -> (predicate: ObjectPredicate, cost: Cost) {
        guard depth < Evaluator.depthLimit else { return (self, .subquery) }
        switch self {
        case .constant:
            return (self, .constant)
        case .comparison(let comparison):
            return (self, comparison.cost(depth: depth))
        case .not(let predicate):
            let (predicate, cost) = predicate.reordered(depth: depth + 1)
            return (.not(predicate), cost)
        case .and(let terms):
            let (terms, cost) = Self.reordered(terms, depth: depth)
            return (.and(terms), cost)
        case .or(let terms):
            let (terms, cost) = Self.reordered(terms, depth: depth)
            return (.or(terms), cost)
        }
    }

    private static func reordered(_ terms: [ObjectPredicate], depth: Int) -> ([ObjectPredicate], Cost) {
        let terms = terms.map { $0.reordered(depth: depth + 1) }
        let sorted = terms.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
        return (sorted.map(\.element.predicate), sorted.last?.element.cost ?? .constant)
    }
}

/// What an evaluation costs, in classes.
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

extension Comparison {
    fileprivate func cost(depth: Int) -> Cost {
        let operands = max(left.cost(depth: depth), right.cost(depth: depth))
        if modifier != .direct { return max(operands, .toMany) }
        switch `operator` {
        case .beginsWith, .endsWith, .contains: return max(operands, .text)
        case .like: return max(operands, .pattern)
        case .matches: return max(operands, .regularExpression)
        default: return max(operands, options.isEmpty ? .constant : .text)
        }
    }
}

extension ObjectExpression {
    fileprivate func cost(depth: Int) -> Cost {
        guard depth < Evaluator.depthLimit else { return .subquery }
        func most(_ expressions: [ObjectExpression]) -> Cost {
            expressions.map { $0.cost(depth: depth + 1) }.max() ?? .constant
        }
        switch self {
        case .constant, .variable, .argument, .evaluatedObject:
            return .constant
        case .keyPath(let root, let keys):
            let isCollected = keys.contains { if case .collection = $0 { true } else { false } }
            return max(isCollected ? .toMany : keys.count > 1 ? .path : .attribute, most([root]))
        case .element(let collection, _):
            return max(.toMany, most([collection]))
        case .aggregate(let expressions):
            return most(expressions)
        case .function(let function, let arguments):
            return max(function.isAggregate ? .toMany : .calculation, most(arguments))
        case .cast(let expression, _):
            return max(.calculation, most([expression]))
        case .ternary(let condition, let first, let second):
            return max(.calculation, condition.reorderingCost(depth: depth + 1), most([first, second]))
        case .subquery:
            return .subquery
        }
    }
}

extension ObjectPredicate {
    fileprivate func reorderingCost(depth: Int) -> Cost {
        reordered(depth: depth).cost
    }
}
