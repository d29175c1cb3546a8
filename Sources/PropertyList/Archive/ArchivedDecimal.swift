// SPDX-License-Identifier: Apache-2.0

// The archive format of decimal numbers: up to eight units of 16 bits, the lowest first, and a power of ten.

/// A decimal number with a significand of up to 128 bits.
package struct ArchivedDecimal: Hashable, Sendable {
    package var isNegative: Bool
    package var significand: UInt128
    /// The power of ten, from -128 to 127.
    package var exponent: Int

    package init(isNegative: Bool = false, significand: UInt128, exponent: Int = 0) {
        self.isNegative = isNegative
        self.significand = significand
        self.exponent = exponent
    }

    /// Parses a number such as `-12.50`; nil if malformed or out of range.
    package init?(_ text: String) {
        var digits = Substring(text)
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        let power = digits.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = power[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        let all = parts[0] + fraction
        guard !all.isEmpty, all.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let given = power.count > 1 ? Int(power[1]) : 0, (-1000..<1000).contains(given)
        else { return nil }
        // If the significand would overflow, trailing zeros go into the exponent.
        let zeros = UInt128(all) == nil ? all.reversed().prefix { $0 == "0" }.count : 0
        let exponent = given - fraction.utf8.count + zeros
        guard let significand = UInt128(all.dropLast(zeros)), (-128...127).contains(exponent) else { return nil }
        self.init(isNegative: isNegative, significand: significand, exponent: exponent)
    }
}

extension ArchivedDecimal: CustomStringConvertible {
    /// The number as an integer and an exponent, such as `-1250e-2`.
    package var description: String { "\(isNegative ? "-" : "")\(significand)e\(exponent)" }
}

extension ArchivedDecimal {
    private static let unitCount = 8

    init?(_ contents: PropertyListDictionary) {
        guard let bytes = contents["NS.mantissa"]?.data, bytes.count >= Self.unitCount * 2,
            let exponent = contents["NS.exponent"]?.integer(), (-128...127).contains(exponent),
            let length = contents["NS.length"]?.integer(), (0...Self.unitCount).contains(length)
        else { return nil }
        let isNegative = contents["NS.negative"]?.boolean ?? false
        // A length of zero with a sign is NaN.
        guard length > 0 || !isNegative else { return nil }
        let isBigEndian = contents["NS.mantissa.bo"]?.integer() == 2
        var significand: UInt128 = 0
        for unit in (0..<length).reversed() {
            let first = UInt128(bytes[unit * 2])
            let second = UInt128(bytes[unit * 2 + 1])
            significand = significand << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        self.init(isNegative: isNegative, significand: significand, exponent: exponent)
    }

    var contents: [(String, PropertyListValue)] {
        let bytes = (0..<Self.unitCount * 2).map { UInt8(truncatingIfNeeded: significand >> UInt128($0 * 8)) }
        let bits = 128 - significand.leadingZeroBitCount
        return [
            ("NS.mantissa", .data(bytes)),
            ("NS.negative", .boolean(isNegative && significand != 0)),
            ("NS.compact", true),
            ("NS.exponent", .integer(Int128(exponent))),
            ("NS.length", .integer(Int128((bits + 15) / 16))),
            ("NS.mantissa.bo", 1),
        ]
    }
}
