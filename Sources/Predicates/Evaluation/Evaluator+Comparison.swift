// SPDX-License-Identifier: Apache-2.0

// Comparisons. Logic is two-valued: equality and membership treat nil as a value; all other operators are false if an
// operand is nil.

internal import FoundationEssentials

extension Evaluator {
    func holds(_ comparison: Comparison, for object: any KeyValueObject) throws -> Bool {
        let left = try operand(of: comparison.left, for: object)
        let right = try operand(of: comparison.right, for: object)
        func compare(_ member: Operand) throws -> Bool {
            try compares(member, comparison.operator, right, comparison.options)
        }
        switch comparison.modifier {
        case .direct:
            return try compare(left)
        case .any:
            return try eachMember(of: left).contains { member in
                try visit()
                return try compare(member)
            }
        case .all:
            return try eachMember(of: left).allSatisfy { member in
                try visit()
                return try compare(member)
            }
        }
    }

    /// The members that ANY and ALL apply to: none for nil, and a single value itself.
    private func eachMember(of operand: Operand) -> [Operand] {
        operand.isNull ? [] : operand.members ?? [operand]
    }

    private func compares(
        _ left: Operand,
        _ operator: Comparison.Operator,
        _ right: Operand,
        _ options: Comparison.Options
    ) throws -> Bool {
        switch `operator` {
        case .equal:
            return try areEqual(left, right, options, in: `operator`)
        case .notEqual:
            return try !areEqual(left, right, options, in: `operator`)
        case .less:
            return try order(left, right, options, in: `operator`) == .orderedAscending
        case .lessOrEqual:
            let order = try order(left, right, options, in: `operator`)
            return order == .orderedAscending || order == .orderedSame
        case .greater:
            return try order(left, right, options, in: `operator`) == .orderedDescending
        case .greaterOrEqual:
            let order = try order(left, right, options, in: `operator`)
            return order == .orderedDescending || order == .orderedSame
        case .between:
            guard let bounds = right.members, bounds.count == 2 else { return false }
            return try compares(left, .greaterOrEqual, bounds[0], options)
                && compares(left, .lessOrEqual, bounds[1], options)
        case .in:
            if case .collection = left { throw EvaluationError.toManyNotAllowed(in: `operator`.rawValue) }
            return try contains(right, left, options)
        case .contains:
            return try contains(left, right, options)
        case .beginsWith, .endsWith, .like, .matches:
            for case .collection in [left, right] {
                throw EvaluationError.toManyNotAllowed(in: `operator`.rawValue)
            }
            guard case .value(let left) = left, case .value(let right) = right else { return false }
            return try textMatches(left, `operator`, right, options)
        }
    }

    private func areEqual(
        _ left: Operand,
        _ right: Operand,
        _ options: Comparison.Options,
        in operator: Comparison.Operator
    ) throws -> Bool {
        switch (left, right) {
        case (.value(let left), .value(let right)): return left.isEqual(to: right, options)
        case (.collection, .collection), (.collection, .value(.array)), (.value(.array), .collection): break
        case (.collection, _), (_, .collection): throw EvaluationError.toManyNotAllowed(in: `operator`.rawValue)
        default: break
        }
        return left.isEqual(to: right, options)
    }

    private func order(
        _ left: Operand,
        _ right: Operand,
        _ options: Comparison.Options,
        in operator: Comparison.Operator
    ) throws -> ComparisonResult? {
        switch (left, right) {
        case (.value(let left), .value(let right)): return left.order(to: right, options)
        case (.object(let left), .object(let right)):
            guard let left = left.reference, let right = right.reference else { return nil }
            return left.order(to: right)
        case (.object(let left), .value(.reference(let right))): return left.reference?.order(to: right)
        case (.value(.reference(let left)), .object(let right)): return right.reference.map { left.order(to: $0) }
        case (.collection, _), (_, .collection): throw EvaluationError.toManyNotAllowed(in: `operator`.rawValue)
        default: return nil
        }
    }

    /// Membership in a collection, list or dictionary's values, or containment in text or data.
    private func contains(_ whole: Operand, _ part: Operand, _ options: Comparison.Options) throws -> Bool {
        if case .value(.array(let values)) = whole {
            if let members = hashedMembers(of: values, options) { return members.contains(part) }
            return values.contains { Operand.value($0).isEqual(to: part, options) }
        }
        if let members = whole.members {
            return try members.contains { member in
                try visit()
                return member.isEqual(to: part, options)
            }
        }
        guard case .value(let whole) = whole, case .value(let part) = part else { return false }
        return try textMatches(whole, .contains, part, options)
    }

    /// The text operators. Some also apply to data.
    private func textMatches(
        _ left: Value,
        _ operator: Comparison.Operator,
        _ right: Value,
        _ options: Comparison.Options
    ) throws -> Bool {
        if case .data(let left) = left, case .data(let right) = right {
            switch `operator` {
            case .beginsWith: return left.span.begins(with: right.span)
            case .endsWith: return left.span.ends(with: right.span)
            case .contains: return left.span.contains(right.span)
            default: return false
            }
        }
        guard let left = left.text, let right = right.text else { return false }
        switch `operator` {
        case .like: return try likePattern(right, options).matches(left)
        case .matches: return try regularExpression(right, options).matches(left)
        case .beginsWith: return Text.begins(left, with: right, options)
        case .endsWith: return Text.ends(left, with: right, options)
        default: return Text.contains(left, right, options)
        }
    }
}
