// SPDX-License-Identifier: Apache-2.0

// Text that sorts like the numbers it represents.

import FoundationEssentials
import Predicates

/// A sign, an exponent and digits. Negative numbers have complemented digits, so that greater magnitudes sort first.
struct DecimalSortKey {
    let text: String

    init(_ value: Value) {
        let description: String
        switch value {
        case .integer(let number): description = "\(number)"
        case .decimal(let number): description = number.description
        case .double(let number):
            guard number.isFinite else {
                text = number < 0 ? "-" : "9"
                return
            }
            description = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        default: description = "0"
        }
        let isNegative = description.hasPrefix("-")
        guard let (digits, exponent) = Self.parts(isNegative ? description.dropFirst() : description[...]) else {
            text = "1"
            return
        }
        let key = String(5000 + exponent) + digits
        text = isNegative ? "0" + Self.complement(key) + "~" : "2" + key
    }

    /// The significant digits and the power of ten of the first one; nil for zero.
    private static func parts(_ description: Substring) -> (digits: String, exponent: Int)? {
        let halves = description.split(separator: "e")
        let parts = halves[0].split(separator: ".")
        let whole = parts[0]
        let fraction = parts.count > 1 ? parts[1] : ""
        let all = whole + fraction
        let zeros = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(zeros)
        while digits.last == "0" { digits.removeLast() }
        if digits.isEmpty { return nil }
        let scale = halves.count > 1 ? Int(halves[1]) ?? 0 : 0
        return (String(digits), whole.count - zeros + scale)
    }

    private static func complement(_ digits: String) -> String {
        String(decoding: digits.utf8.map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }
}
