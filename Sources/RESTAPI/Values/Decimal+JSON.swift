// SPDX-License-Identifier: Apache-2.0

// Decimal numbers from text, all of their digits or none.

import FoundationEssentials
import JSON

extension Decimal {
    enum Reading: Equatable {
        case number(Decimal)
        /// More digits, or another power of ten, than a decimal has.
        case tooLong
        case nonNumeric
    }

    /// Reads a number as JSON writes it. Digits and exponent are counted first: no text is worth computing with that has more.
    static func reading(_ text: String) -> Reading {
        guard text.utf8.count <= 1_024, let number = JSONNumber(text) else { return .nonNumeric }
        var (digits, exponent): ([UInt8], Int) = ([], 0)
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var isFraction = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isFraction { exponent -= 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            default:
                guard let power = Int(Substring(rest)), power.magnitude < 10_000 else {
                    return digits.isEmpty ? .number(0) : .tooLong
                }
                exponent += power
                rest = rest[rest.endIndex...]
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        guard !digits.isEmpty else { return .number(0) }
        // Zeros at the end make room for exponents that a decimal hasn't.
        while exponent > 127, digits.count < 38 {
            digits.append(UInt8(ascii: "0"))
            exponent -= 1
        }
        guard digits.count <= 38, (-128...127).contains(exponent),
            let whole = Decimal(string: String(decoding: digits, as: UTF8.self))
        else { return .tooLong }
        let decimal = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: whole)
        return JSONNumber(decimal.description) == number ? .number(decimal) : .tooLong
    }
}
