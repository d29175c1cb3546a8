// SPDX-License-Identifier: Apache-2.0
// Numbers keep their digits, compare by value, and convert only without loss of meaning.

import JSON
import Testing

@Suite struct NumberTests {
    static let values: [(text: String, int64: Int64?, double: Double?)] = [
        ("0", 0, 0), ("-0", 0, -0.0), ("1.0", 1, 1), ("1.50e1", 15, 15), ("1e3", 1000, 1000), ("0e999999999", 0, 0),
        ("1.5", nil, 1.5), ("1e-1", nil, 0.1),
        ("9223372036854775807", .max, 0x1p63), ("9223372036854775808", nil, 0x1p63),
        ("-9223372036854775808", .min, -0x1p63), ("-9223372036854775809", nil, -0x1p63),
        ("-9.223372036854775808E+18", .min, -0x1p63), ("1e19", nil, 1e19),
        ("1e308", nil, 1e308), ("1e309", nil, nil), ("-1e400", nil, nil), ("1e999999999", nil, nil),
        ("5e-324", nil, .leastNonzeroMagnitude), ("1e-400", nil, 0),
    ]

    @Test("a number converts to an integer if it is one, and to a double unless it is too large", arguments: values)
    func conversions(sample: (text: String, int64: Int64?, double: Double?)) throws {
        let number = try #require(JSONNumber(sample.text))
        #expect(number.text == sample.text)
        #expect(number.int64 == sample.int64)
        #expect(number.double == sample.double)
        #expect(number.double?.sign == sample.double?.sign)
    }

    @Test("a decimal of 38 digits is read and written unchanged")
    func decimals() throws {
        let text = "[12345678901234567890123456789012345.678,0.10000000000000000000000000000000000001,1e400,1.00]"
        #expect(try JSONValue(parsing: text).serialized() == text)
    }

    @Test(
        "numbers are equal by value",
        arguments: [("1", "1.0"), ("1e2", "100"), ("0.10", "1e-1"), ("-0", "0.0e5"), ("120e-1", "12")]
    )
    func equal(left: String, right: String) throws {
        let (left, right) = try (#require(JSONNumber(left)), #require(JSONNumber(right)))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(
        "numbers that differ in any digit aren't equal",
        arguments: [
            ("1", "-1"), ("1", "10"), ("0.1", "0.10000000000000001"), ("9007199254740993", "9007199254740992"),
            ("0", "1e-400"),
        ]
    )
    func unequal(left: String, right: String) throws {
        #expect(try #require(JSONNumber(left)) != #require(JSONNumber(right)))
    }

    @Test(
        "text that isn't exactly one number is refused",
        arguments: ["", " 1", "1 ", "+1", "01", "1.", ".1", "0x1", "NaN", "true", "[1]"]
    )
    func invalid(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test(
        "doubles are written in their shortest form",
        arguments: [
            (1.0, "1"), (-0.0, "-0"), (0.1, "0.1"), (1e16, "1e16"), (1e22, "1e22"), (.leastNonzeroMagnitude, "5e-324"),
            (1.5e-7, "1.5e-07"), (.greatestFiniteMagnitude, "1.7976931348623157e308"),
        ]
    )
    func shortest(value: Double, text: String) throws {
        #expect(JSONNumber(value)?.text == text)
        #expect(try JSONValue(parsing: text).double == value)
    }

    @Test("NaN and the infinities have no JSON number", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ value: Double) {
        #expect(JSONNumber(value) == nil)
        #expect(JSONValue.double(value) == nil)
    }

    @Test("integers of any type are written with all digits")
    func integers() {
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
        #expect(JSONValue.integer(Int64.min).serialized() == "-9223372036854775808")
    }
}
