// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A numeric value. True is 1 and false is 0. Numbers of different types are compared exactly, without rounding.
enum Number {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)

    init?(_ value: Value) {
        switch value {
        case .bool(let bool): self = .integer(bool ? 1 : 0)
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .double(double)
        case .decimal(let decimal): self = .decimal(decimal)
        default: return nil
        }
    }

    /// The nearest double, the same for all equal numbers.
    var double: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        case .decimal(let decimal): decimal.isNaN ? .nan : Double(decimal.description) ?? .nan
        }
    }

    /// The number in base 10. A fractional double has the value of its shortest text.
    var decimal: Decimal? {
        switch self {
        case .integer(let integer): Decimal(integer)
        case .double(let double):
            Int64(exactly: double).map { Decimal($0) } ?? (double.isFinite ? Decimal(shortest: double) : nil)
        case .decimal(let decimal): decimal
        }
    }

    /// The value, or null for NaN.
    var value: Value {
        switch self {
        case .integer(let integer): .integer(integer)
        case .double(let double): double.isNaN ? .null : .double(double)
        case .decimal(let decimal): decimal.isNaN ? .null : .decimal(decimal)
        }
    }

    /// The order of two numbers, or nil if either is NaN.
    func order(_ other: Number) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.double(let left), .double(let right)): left.isNaN || right.isNaN ? nil : Self.order(left, right)
        case (.integer(let left), .double(let right)): Self.order(left, exactly: right)
        case (.double(let left), .integer(let right)): Self.order(right, exactly: left)?.reversed
        case (.double(let left), .decimal(let right)): Self.order(right, to: left)?.reversed
        case (.decimal(let left), .double(let right)): Self.order(left, to: right)
        case (.integer(let left), .decimal(let right)): right.isNaN ? nil : Self.order(Decimal(left), right)
        case (.decimal(let left), .integer(let right)): left.isNaN ? nil : Self.order(left, Decimal(right))
        case (.decimal(let left), .decimal(let right)): left.isNaN || right.isNaN ? nil : Self.order(left, right)
        }
    }

    private static func order<T: Comparable>(_ left: T, _ right: T) -> ComparisonResult {
        left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }

    private static func order(_ left: Int64, exactly right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .orderedAscending }
        if right < -0x1p63 { return .orderedDescending }
        let whole = Int64(right)
        return left == whole ? order(Double(whole), right) : order(left, whole)
    }

    private static func order(_ left: Decimal, to right: Double) -> ComparisonResult? {
        if left.isNaN || right.isNaN { return nil }
        // Out of a decimal's range or precision: this double isn't any decimal's nearest, so the order of doubles is
        // exact.
        guard let decimal = Number.double(right).decimal, decimal != 0 || right == 0 else {
            return order(Number.decimal(left).double, right)
        }
        return order(left, decimal)
    }
}

extension Decimal {
    /// Parses the shortest text of a double, or returns nil if a decimal can't hold it.
    fileprivate init?(shortest double: Double) {
        let text = "\(double)"
        let parts = text.split(separator: "e+")
        // `Decimal` rejects exponents above 127, though zeros appended to the digits can make up for them.
        guard parts.count == 2, let exponent = Int(parts[1]), exponent > 127 else {
            self.init(string: text)
            return
        }
        let digits = parts[0].split(separator: ".")
        let fraction = digits.count == 2 && digits[1] != "0" ? digits[1] : ""
        let zeros = exponent - fraction.count - 127
        guard zeros < 38 else { return nil }
        self.init(
            string:
                "\(digits[0])\(fraction)\(String(repeating: "0", count: max(0, zeros)))e\(exponent - fraction.count - max(0, zeros))"
        )
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedSame: .orderedSame
        case .orderedDescending: .orderedAscending
        }
    }
}
