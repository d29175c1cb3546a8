// SPDX-License-Identifier: Apache-2.0

// Times in header fields.

import FoundationEssentials
import HTTPMessage
import TestSupport
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "dates are read in the current format and in the two obsolete ones",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
            ("Tuesday, 31-Dec-69 00:00:00 GMT", 3_155_673_600),
        ]
    )
    func reading(text: String, seconds: Int) {
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test(
        "invalid dates are refused",
        arguments: [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:3a GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994 GMT", "Sun Nov 006 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
            "784111777", "1994-11-06T08:49:37Z", String(repeating: " ", count: 10_000) + "x",
        ]
    )
    func refusals(_ text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test(
        "a date is read back as written, and its parts agree with Foundation's calendar",
        arguments: SeededGenerator.seeds(8)
    )
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for _ in 0..<200 {
            let seconds = Int.random(in: -12_000_000_000...253_402_300_799, using: &random)
            let text = HTTPDate(secondsSince1970: seconds).description
            #expect(HTTPDate(text)?.secondsSince1970 == seconds, "\(text)")
            let date = Date(timeIntervalSince1970: Double(seconds))
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
            let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][try #require(parts.weekday) - 1]
            let numbers = text.split { " :".contains($0) }
            #expect(numbers[0] == weekday + ",", "\(seconds)")
            #expect(Int(numbers[1]) == parts.day && Int(numbers[3]) == parts.year, "\(seconds)")
            #expect(Int(numbers[4]) == parts.hour && Int(numbers[6]) == parts.second, "\(seconds)")
        }
    }

    @Test("a date beyond the bounds is written as the nearest possible date")
    func bounds() {
        #expect(HTTPDate(secondsSince1970: .max).description == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate(secondsSince1970: .min).description == "Mon, 01 Jan 0001 00:00:00 GMT")
        #expect(HTTPDate(secondsSince1970: 1) < HTTPDate(secondsSince1970: 2))
    }
}
