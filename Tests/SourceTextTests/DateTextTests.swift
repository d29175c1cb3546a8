// SPDX-License-Identifier: Apache-2.0

// Dates as text, compared with known facts of the calendar.

import FoundationEssentials
import SourceText
import Testing

@Suite("Dates as text")
struct DateTextTests {
    @Test(
        "ISO 8601 dates are read",
        arguments: [
            ("2001-01-01T00:00:00Z", 0.0), ("2001-01-01", 0), ("1970-01-01T00:00:00Z", -978_307_200),
            ("2021-01-01T00:00:00Z", 631_152_000), ("2020-12-31T16:00:00-08:00", 631_152_000),
            ("2024-02-29T12:30:15.5+0130", 730_897_215.5), ("2001-01-01T00:01Z", 60), ("0001-01-01", -63_113_904_000),
        ]
    )
    func reading(text: String, seconds: Double) {
        #expect(Date(iso8601: text)?.timeIntervalSinceReferenceDate == seconds)
    }

    @Test(
        "malformed or impossible dates are refused",
        arguments: [
            "", "2001", "2001-1-1", "2001-13-01", "2001-02-29", "1900-02-29", "2001-01-00", "2001-01-01T",
            "2001-01-01T00:00:00",
            "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00Z ",
            "2001-01-01T00:00:00+2", "12/4/2013",
        ]
    )
    func refusing(text: String) {
        #expect(Date(iso8601: text) == nil)
    }

    @Test("every day of eight hundred years is read back from its text")
    func days() {
        for day in -150_000..<150_000 {
            let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86400 + 86399)
            guard let text = date.iso8601, Date(iso8601: text) == date else {
                Issue.record("day \(day): \(date.iso8601 ?? "no text")")
                return
            }
        }
    }

    @Test(
        "a date has no text if it isn't whole seconds or is too far away",
        arguments: [
            0.5, .nan, .infinity, 1e15, -1e12, 1e300, 252_455_616_000, -9_223_372_036_854_775_808,
        ]
    )
    func withoutText(seconds: Double) {
        #expect(Date(timeIntervalSinceReferenceDate: seconds).iso8601 == nil)
    }

    @Test("the last date with a text is the end of the year 9999")
    func last() {
        #expect(Date(timeIntervalSinceReferenceDate: 252_423_993_599).iso8601 == "9999-12-31T23:59:59Z")
        #expect(Date(timeIntervalSinceReferenceDate: 252_423_993_600).iso8601 == nil)
        #expect(Date(timeIntervalSinceReferenceDate: -1).iso8601 == "2000-12-31T23:59:59Z")
    }
}
