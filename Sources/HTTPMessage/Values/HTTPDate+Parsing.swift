// SPDX-License-Identifier: Apache-2.0

// Parsing of the current and the two obsolete date formats.

extension HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    /// Two-digit years are 1970 to 2069.
    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true).map(String.init)
        guard text.utf8.count <= 40, let weekday = words.first else { return nil }
        let parts: (weekday: String, day: String, month: String, year: String, time: String)
        let isLong = weekday.hasSuffix(",") && words.count == 4
        if weekday.hasSuffix(","), words.count == 6, words[5] == "GMT", words[1].utf8.count == 2,
            words[3].utf8.count == 4
        {
            parts = (String(weekday.dropLast()), words[1], words[2], words[3], words[4])
        } else if isLong, words[3] == "GMT" {
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[0].utf8.count == 2, date[2].utf8.count == 2 else { return nil }
            parts = (String(weekday.dropLast()), date[0], date[1], date[2], words[2])
        } else if words.count == 5, words[4].utf8.count == 4, (1...2).contains(words[2].utf8.count) {
            parts = (weekday, words[2], words[1], words[4], words[3])
        } else {
            return nil
        }
        guard Self.weekdays.contains(where: { parts.weekday == (isLong ? $0 : String($0.prefix(3))) }),
            let month = Self.months.firstIndex(of: parts.month), let day = Self.number(parts.day),
            let year = Self.number(parts.year), let time = Self.seconds(parts.time)
        else { return nil }
        self.init(year: isLong ? year + (year < 70 ? 2000 : 1900) : year, month: month + 1, day: day, time: time)
    }

    private init?(year: Int, month: Int, day: Int, time: Int) {
        guard year > 0, day > 0 else { return nil }
        let next = month % 12 + 1
        let nextYear = month == 12 ? year + 1 : year
        let date = Self.days(year: year, month: month, day: day)
        guard date < Self.days(year: nextYear, month: next, day: 1) else { return nil }
        self.init(secondsSince1970: date * 86400 + time)
    }

    /// The seconds of a time such as `08:49:37`, which may have a leap second.
    private static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = number(parts[0]), hour < 24,
            let minute = number(parts[1]), minute < 60, let second = number(parts[2]), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: some StringProtocol) -> Int? { Array(text.utf8)[...].decimal }
}
