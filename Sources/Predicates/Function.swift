// SPDX-License-Identifier: Apache-2.0

// The functions of the predicate language. Expressions can call nothing else.

/// A function that expressions can call, with Core Data's name for it.
public enum Function: String, CaseIterable, Hashable, Sendable {
    // Over a collection, or over several arguments.
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    // Arithmetic. The first six are written as operators.
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case raise = "raise:toPower:"
    case negate = "negate:"
    case modulus = "modulus:by:"
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncate = "trunc:"
    case random = "random"
    case randomBelow = "randomn:"
    // Bits. All are written as operators.
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    // Text.
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case canonical = "canonical:"
    case length = "length:"
    // Collections. All are written as operators.
    case union = "union:with:"
    case intersect = "intersect:with:"
    case minus = "minus:with:"
    // Others.
    case now = "now"
    case noIndex = "noindex:"

    /// Whether two calls with the same arguments may have different results.
    public var isVolatile: Bool { self == .now || self == .random || self == .randomBelow }

    /// The number of arguments that the function accepts.
    public var arity: ClosedRange<Int> {
        switch self {
        case .now, .random: 0...0
        case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation: 1...Int.max
        case .add, .subtract, .multiply, .divide, .raise, .modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
            .rightShift, .union, .intersect, .minus:
            2...2
        default: 1...1
        }
    }
}
