// SPDX-License-Identifier: Apache-2.0

// Arithmetic with SQLite's rules: integers stay integers, overflow yields a double, and nothing traps.

internal import FoundationEssentials

extension Number {
    func adding(_ other: Number) -> Number {
        combined(with: other, { $0.addingReportingOverflow($1) }, +, +)
    }

    func subtracting(_ other: Number) -> Number {
        combined(with: other, { $0.subtractingReportingOverflow($1) }, -, -)
    }

    func multiplied(by other: Number) -> Number {
        combined(with: other, { $0.multipliedReportingOverflow(by: $1) }, *, Self.product)
    }

    /// The quotient, truncated for integers; nil for division by zero.
    func divided(by other: Number) -> Number? {
        other.isZero ? nil : combined(with: other, { $0.dividedReportingOverflow(by: $1) }, /, /)
    }

    /// The remainder with the sign of the dividend; nil for division by zero.
    func remainder(dividingBy other: Number) -> Number? {
        if other.isZero { return nil }
        return combined(
            with: other,
            { $1 == -1 ? (0, false) : ($0 % $1, false) },
            { $0.truncatingRemainder(dividingBy: $1) },
            { $0 - Self.product($1, ($0 / $1).truncated) }
        )
    }

    var negated: Number { Number.integer(0).subtracting(self) }

    var magnitude: Number {
        switch self {
        case .integer(let integer): integer < 0 ? negated : self
        case .double(let double): .double(double.magnitude)
        case .decimal(let decimal): .decimal(decimal.magnitude)
        }
    }

    /// The number rounded to an integer: towards zero, down or up.
    func rounded(_ rule: FloatingPointRoundingRule) -> Number {
        switch self {
        case .integer: return self
        case .double(let double): return .double(double.rounded(rule))
        case .decimal(let decimal):
            let whole = decimal.truncated
            if rule == .down && whole > decimal { return .decimal(whole - 1) }
            if rule == .up && whole < decimal { return .decimal(whole + 1) }
            return .decimal(whole)
        }
    }

    /// The number as 64 bits, or nil if it isn't an integer of that size.
    var bits: Int64? {
        switch self {
        case .integer(let integer): integer
        case .double(let double): Int64(exactly: double)
        case .decimal(let decimal): Int64(decimal.description)
        }
    }

    private var isZero: Bool { order(.integer(0)) == .orderedSame }

    /// NaN below the exponent -128, where `Decimal` would trap.
    private static func product(_ left: Decimal, _ right: Decimal) -> Decimal {
        left.exponent + right.exponent < -128 ? .nan : left * right
    }

    /// Computes in decimals if either is one, and in doubles if that isn't possible.
    private func combined(
        with other: Number,
        _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ doubles: (Double, Double) -> Double,
        _ decimals: (Decimal, Decimal) -> Decimal
    ) -> Number {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            let (result, overflow) = integers(left, right)
            if !overflow { return .integer(result) }
        case (.decimal, _), (_, .decimal):
            if let left = decimal, let right = other.decimal {
                let result = decimals(left, right)
                if !result.isNaN { return .decimal(result) }
            }
        default:
            break
        }
        return .double(doubles(double, other.double))
    }
}

extension Decimal {
    /// The integer part, rounded towards zero.
    fileprivate var truncated: Decimal {
        let digits = description.prefix { $0 != "." }
        return Decimal(string: String(digits)) ?? self
    }
}
