// SPDX-License-Identifier: Apache-2.0

// The types of functions' operands and results.

import Predicates

extension PredicateCheck {
    mutating func type(of function: Function, _ operands: [ExpressionType]) -> ExpressionType {
        let first = operands.first ?? .unknown
        let members = operands.count == 1 ? first.member ?? first : ExpressionType.common(operands)
        switch function {
        case .count: return .number
        case .minimum, .maximum, .mode: return members
        case .sum, .average, .median, .standardDeviation:
            require(members.isNumeric != false, function, members)
            return .number
        case .add where operands.contains { $0.isTextual == true } && operands.allSatisfy { $0.isTextual != false }:
            return .text
        case .add, .subtract, .multiply, .divide, .raise, .negate, .modulus, .squareRoot, .logarithm, .naturalLogarithm,
            .exponential, .floor, .ceiling, .absolute, .truncate, .randomBelow, .bitwiseAnd, .bitwiseOr, .bitwiseXor,
            .leftShift, .rightShift, .onesComplement:
            // Arithmetic treats dates as numbers of seconds, and the result may be either.
            if operands.contains(.date) { return .unknown }
            for operand in operands { require(operand.isNumeric != false, function, operand) }
            return .number
        case .random: return .number
        case .uppercase, .lowercase, .canonical:
            require(first.isTextual != false, function, first)
            return .text
        case .length:
            require(first.isTextual != false || first == .data, function, first)
            return .number
        case .union, .intersect, .minus:
            for operand in operands {
                require(operand == .unknown || operand == .null || operand.member != nil, function, operand)
            }
            return first.member == nil ? .unknown : first
        case .now: return .date
        case .noIndex: return first
        }
    }

    private mutating func require(_ holds: Bool, _ function: Function, _ operand: ExpressionType) {
        guard !holds else { return }
        let hint = operand.isCollection ? "Use one member of it, or its @count or @sum." : nil
        report(.predicateOperand, "\(function.rawValue) can't be applied to \(operand.words).", hint: hint)
    }
}

extension ExpressionType {
    /// Whether it is text; nil if unknown.
    var isTextual: Bool? {
        switch self {
        case .unknown, .null: nil
        case .text: true
        default: false
        }
    }
}
