// SPDX-License-Identifier: Apache-2.0

// Comparisons: operators that fit both types, and single values on both sides.

import Predicates

extension PredicateCheck {
    mutating func check(_ comparison: Comparison) {
        var left = type(of: comparison.left)
        let right = type(of: comparison.right)
        if comparison.modifier != .direct {
            if let member = left.member {
                left = member
            } else if left != .unknown, left != .null {
                let message =
                    "\(comparison.modifier.rawValue) has no effect on “\(comparison.left)”, which is one value."
                report(.predicateModifier, message, property: name(of: comparison.left))
            }
        }
        checkRange(comparison)
        switch comparison.operator {
        case .equal, .notEqual: checkEquality(comparison, left, right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: checkOrder(comparison, left, right)
        case .between: checkBetween(comparison, left, right)
        case .in:
            guard isSingle(left, comparison.left, comparison) else { return }
            checkMembership(of: left, in: right, comparison)
        case .contains: checkMembership(of: right, in: left, comparison)
        case .beginsWith, .endsWith, .like, .matches: checkText(comparison, left, right)
        }
    }

    private mutating func checkEquality(_ comparison: Comparison, _ left: ExpressionType, _ right: ExpressionType) {
        // Two collections, or a collection and a list, can be compared as a whole.
        if left.member == nil || right.member == nil {
            guard isSingle(left, comparison.left, comparison), isSingle(right, comparison.right, comparison) else {
                return
            }
        }
        compare(left, right, comparison)
    }

    private mutating func checkOrder(_ comparison: Comparison, _ left: ExpressionType, _ right: ExpressionType) {
        guard isSingle(left, comparison.left, comparison), isSingle(right, comparison.right, comparison) else { return }
        for (type, side) in [(left, comparison.left), (right, comparison.right)] where type.hasOrder == false {
            return reportOperator(comparison, type, side, isMild: true)
        }
        compare(left, right, comparison)
    }

    private mutating func checkBetween(_ comparison: Comparison, _ left: ExpressionType, _ right: ExpressionType) {
        guard isSingle(left, comparison.left, comparison) else { return }
        let count: Int? =
            switch comparison.right {
            case .constant(.array(let values)): values.count
            case .aggregate(let members): members.count
            default: nil
            }
        if let count, count != 2 {
            return report(.predicateBetween, "BETWEEN needs two bounds, but there are \(count).")
        }
        guard right == .unknown || right.member != nil else {
            return report(
                .predicateBetween,
                "BETWEEN needs a list of two bounds, but “\(comparison.right)” is \(right.words)."
            )
        }
        if left.hasOrder == false { return reportOperator(comparison, left, comparison.left, isMild: true) }
        compareMembers(left, comparison.right, right.member ?? .unknown, comparison)
    }

    /// Checks membership in collections and lists, and containment in text and data.
    private mutating func checkMembership(
        of part: ExpressionType,
        in whole: ExpressionType,
        _ comparison: Comparison
    ) {
        let side = comparison.operator == .in ? comparison.right : comparison.left
        switch whole {
        case .unknown, .null: break
        case .list(let member), .collection(let member):
            compareMembers(part, side, member, comparison)
        case .text where part.isTextual == false, .data where part != .data && part != .unknown && part != .null:
            let other = comparison.operator == .in ? comparison.left : comparison.right
            reportOperator(comparison, part, other)
        case .text, .data: break
        default: reportOperator(comparison, whole, side)
        }
    }

    private mutating func checkText(_ comparison: Comparison, _ left: ExpressionType, _ right: ExpressionType) {
        guard isSingle(left, comparison.left, comparison), isSingle(right, comparison.right, comparison) else { return }
        let canBeData = comparison.operator == .beginsWith || comparison.operator == .endsWith
        if canBeData, left == .data, right == .data || right == .unknown { return }
        for (type, side) in [(left, comparison.left), (right, comparison.right)] where type.isTextual == false {
            return reportOperator(comparison, type, side)
        }
        if comparison.operator == .matches, case .constant(.string(let pattern)) = comparison.right {
            do throws(EvaluationError) {
                _ = try RegularExpression(pattern, comparison.options)
            } catch {
                report(.predicateRegularExpression, error.message, property: name(of: comparison.left))
            }
        }
    }

    /// Whether a side is a single value. A to-many relationship needs ANY or ALL.
    private mutating func isSingle(_ type: ExpressionType, _ side: ObjectExpression, _ comparison: Comparison) -> Bool {
        guard type.isCollection else { return true }
        report(
            .predicateToMany,
            "“\(side)” gives many values, but \(comparison.operator.rawValue) compares one.",
            property: name(of: side),
            hint: "Write ANY or ALL before it, use SUBQUERY, or use its @count, @min or @max."
        )
        return false
    }

    /// Compares a value with the members of a list, or with each constant if their types differ.
    private mutating func compareMembers(
        _ value: ExpressionType,
        _ list: ObjectExpression,
        _ common: ExpressionType,
        _ comparison: Comparison
    ) {
        guard common == .unknown else { return compare(value, common, comparison) }
        for constant in list.constants where !value.isComparable(to: ExpressionType(constant)) {
            return compare(value, ExpressionType(constant), comparison)
        }
    }

    private mutating func compare(_ left: ExpressionType, _ right: ExpressionType, _ comparison: Comparison) {
        let path = name(of: comparison.left) ?? name(of: comparison.right)
        if case .object(let one) = left, case .object(let other) = right {
            if model.entity(named: one) != nil, model.entity(named: other) != nil, !isEntity(one, kindOf: other),
                !isEntity(other, kindOf: one)
            {
                let message =
                    "“\(ObjectPredicate.comparison(comparison))” compares objects of \(one) with those of \(other), which are never the same."
                report(.predicateType, message, property: path)
            }
        } else if !left.isComparable(to: right) {
            report(
                .predicateType,
                "“\(ObjectPredicate.comparison(comparison))” compares \(left.words) with \(right.words), which are never "
                    + "equal and have no order.",
                property: path,
                hint: hint(for: comparison, left, right)
            )
        }
    }

    private func isEntity(_ name: String, kindOf other: String) -> Bool {
        hierarchy?.isEntity(name, kindOf: other) ?? model.isEntity(name, kindOf: other)
    }

    private mutating func reportOperator(
        _ comparison: Comparison,
        _ type: ExpressionType,
        _ side: ObjectExpression,
        isMild: Bool = false
    ) {
        let message = "\(comparison.operator.rawValue) can't be applied to “\(side)”, which is \(type.words)."
        let hint = comparison.operator == .in && type.isScalar ? "Write lists as {1, 2, 3}." : nil
        report(.predicateOperator, isMild: isMild, message, property: name(of: side), hint: hint)
    }

    func name(of side: ObjectExpression) -> String? {
        guard case .keyPath(of: .evaluatedObject, _) = side else { return nil }
        return side.description
    }
}

extension ExpressionType {
    /// Whether `<` is defined for the type; nil if unknown.
    fileprivate var hasOrder: Bool? {
        switch self {
        case .unknown, .null: nil
        case .number, .text, .date, .uuid: true
        default: false
        }
    }
}
