// SPDX-License-Identifier: Apache-2.0

// Result values as text, including dates beyond any calendar.

import FoundationEssentials
import JSON
import Predicates
import Testing

@testable import OutcropCommand

@Suite("Values of results")
struct ResultTextTests {
    @Test(
        "every date has a text, even one that isn't finite",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59.5Z"), (0.999_999_9, "2001-01-01T00:00:01Z"),
            (1e300, "1e+300"), (-1e300, "-1e+300"), (.infinity, "inf"), (-.infinity, "-inf"), (.nan, "nan"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (-9_223_372_036_854_775_808, "-9.223372036854776e+18"),
            (9_223_372_036_854_774_784, "9.223372036854775e+18"), (.leastNonzeroMagnitude, "2001-01-01T00:00:00Z"),
        ]
    )
    func dates(seconds: Double, text: String) {
        let value = Value.date(Date(timeIntervalSinceReferenceDate: seconds))
        #expect(value.plainText == text)
        #expect(value.resultText() == text)
        #expect(value.resultJSON.string == text)
        #expect(Value.array([value]).plainText == "[\"\(text)\"]")
    }
}
