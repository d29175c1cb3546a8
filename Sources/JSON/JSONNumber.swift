// SPDX-License-Identifier: Apache-2.0
// A number with its text, so that no digit of an integer or decimal is lost.

/// A JSON number: its text, convertible to an integer or double.
///
/// Numbers are compared by exact value: `1`, `1.0` and `10e-1` are equal, `0.1` and `0.10000000000000001` aren't.
public struct JSONNumber: Sendable, CustomStringConvertible {
    /// The number in JSON's syntax, with all digits that were read.
    public let text: String

    public init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// The shortest text that reads back as the same double, or nil for NaN and the infinities.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        var text = "\(value)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        text.removeAll { $0 == "+" }
        self.text = text
    }

    /// Parses a number of any length; nil if the text isn't a JSON number.
    public init?(_ text: String) {
        guard let number = try? JSONValue(parsing: text).number, number.text == text else { return nil }
        self = number
    }

    /// Creates a number from valid text.
    init(checked text: String) {
        self.text = text
    }

    /// The value, if it is a whole number that fits; `1.0` and `1e3` are whole.
    public var int64: Int64? {
        Int64(text) ?? DecimalValue(text).int64
    }

    /// The nearest double, or nil if it would be infinite.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    public var description: String { text }
}

extension JSONNumber: Hashable {
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text == right.text || DecimalValue(left.text) == DecimalValue(right.text)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(DecimalValue(text))
    }
}

/// A number as sign, digits and power of ten, without leading or trailing zeros.
private struct DecimalValue: Hashable {
    private var isNegative = false
    private var digits = ""
    private var exponent = 0

    init(_ text: String) {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        var fractionDigits: Int?
        for character in mantissa {
            switch character {
            case "-": isNegative = true
            case ".": fractionDigits = 0
            default:
                if character != "0" || !digits.isEmpty { digits.append(character) }
                fractionDigits = fractionDigits.map { $0 + 1 }
            }
        }
        exponent = (Int(text.dropFirst(mantissa.count + 1)) ?? 0) - (fractionDigits ?? 0)
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            isNegative = false
            exponent = 0
        }
    }

    var int64: Int64? {
        if digits.isEmpty { return 0 }
        guard exponent >= 0, digits.utf8.count + exponent <= 19 else { return nil }
        return Int64((isNegative ? "-" : "") + digits + String(repeating: "0", count: exponent))
    }
}
