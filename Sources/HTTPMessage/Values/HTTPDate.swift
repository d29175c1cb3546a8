// SPDX-License-Identifier: Apache-2.0

// Dates of header fields, in whole seconds, without Foundation.

public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Within the years 1 to 9999, which are all that the format can express.
    public let secondsSince1970: Int

    private static let first = days(year: 1, month: 1, day: 1) * 86400
    private static let last = days(year: 10000, month: 1, day: 1) * 86400 - 1

    /// Creates a date, clamped to the years 1 to 9999.
    public init(secondsSince1970: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, Self.first), Self.last)
    }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }
}

extension HTTPDate: CustomStringConvertible {
    public var description: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    public func write(into output: inout [UInt8]) {
        let days = (secondsSince1970 - Self.first) / 86400
        let second = (secondsSince1970 - Self.first) % 86400
        let (year, month, day) = Self.date(ofDay: days + Self.first / 86400)
        output += Self.weekdayBytes[(days + 1) % 7]
        Self.write(day, into: &output)
        output += Self.monthBytes[month - 1]
        Self.write(year / 100, into: &output)
        Self.write(year % 100, into: &output)
        output.append(.space)
        Self.write(second / 3600, into: &output)
        output.append(.colon)
        Self.write(second / 60 % 60, into: &output)
        output.append(.colon)
        Self.write(second % 60, into: &output)
        output += Self.zoneBytes
    }

    private static let weekdayBytes = weekdays.map { Array("\($0.prefix(3)), ".utf8) }
    private static let monthBytes = months.map { Array(" \($0) ".utf8) }
    private static let zoneBytes = Array(" GMT".utf8)

    /// Writes a number as two digits.
    private static func write(_ number: Int, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "0") + UInt8(number / 10))
        output.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

extension HTTPDate {
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The days since 1970. Years are counted from March, so that the leap day is the last.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month < 3 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719468
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (day + 719468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra + (month > 9 ? 1 : 0)
        return (year, (month + 2) % 12 + 1, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
