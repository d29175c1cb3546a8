// SPDX-License-Identifier: Apache-2.0

// Text that is ordered as the numbers are that it stands for.

import FoundationEssentials
import Predicates

/// A sign, an exponent and digits; what is below zero has their complements, so that more of it comes first.
struct DecimalSortKey {
    let text: String

    init(_ value: Value) {
        guard case .decimal(let number) = value.cast(to: .decimal) else {
            // What no decimal can be comes before or after all of them.
            if case .double(let number) = value, number > 0 { text = "3" } else { text = "-" }
            return
        }
        if number == 0 {
            text = "1"
            return
        }
        let (digits, exponent) = Self.parts(number.magnitude.description)
        let scale = String(5000 + exponent)
        if number > 0 {
            text = "2" + scale + digits
        } else {
            text = "0" + Self.complement(scale + digits) + "~"
        }
    }

    /// The digits without zeros around them, and the power of ten of the first.
    private static func parts(_ description: String) -> (digits: String, exponent: Int) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        let (whole, fraction) = (parts[0], parts.count > 1 ? parts[1] : "")
        let all = whole + fraction
        let zeros = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(zeros)
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), whole.count - zeros)
    }

    private static func complement(_ digits: String) -> String {
        String(decoding: digits.utf8.map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }
}
