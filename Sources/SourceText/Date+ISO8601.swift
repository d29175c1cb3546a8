// SPDX-License-Identifier: Apache-2.0

// ISO 8601 dates: `2024-05-31`, `2024-05-31T12:00:00Z`, `2024-05-31T14:00:00.5+02:00`.

public import FoundationEssentials

extension Date {
    /// Parses a date of the proleptic Gregorian calendar. Without a time, it is midnight UTC.
    public init?(iso8601 text: String) {
        var scanner = Scanner(text)
        guard let year = scanner.number(of: 4), scanner.take("-"), let month = scanner.number(of: 2),
            scanner.take("-"), let day = scanner.number(of: 2), (1...12).contains(month),
            (1...daysInMonth(month, of: year)).contains(day)
        else { return nil }
        var seconds = Double(daysSinceReferenceDate(year: year, month: month, day: day) * 86400)
        if scanner.take("T") {
            guard let time = scanner.time(), let offset = scanner.offset() else { return nil }
            seconds += time - Double(offset)
        }
        guard scanner.isAtEnd else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// The text of a date with whole seconds in the years 0 to 9999, otherwise nil.
    public var iso8601: String? {
        guard let seconds = Int(exactly: timeIntervalSinceReferenceDate) else { return nil }
        let day = Int((Double(seconds) / 86400).rounded(.down))
        guard let (year, month, dayOfMonth) = civilDate(daysSinceReferenceDate: day), (0...9999).contains(year) else {
            return nil
        }
        let second = seconds - day * 86400
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
        return "\(date)T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }
}

/// Parses a text from its beginning.
private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits() -> String {
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        rest = rest[digits.endIndex...]
        return String(Substring(digits))
    }

    mutating func number(of count: Int) -> Int? {
        let digits = digits()
        return digits.utf8.count == count ? Int(digits) : nil
    }

    /// A time of day, with an optional fraction, in seconds.
    mutating func time() -> Double? {
        guard let hour = number(of: 2), hour < 24, take(":"), let minute = number(of: 2), minute < 60 else {
            return nil
        }
        var second = 0.0
        if take(":") {
            guard let whole = number(of: 2), whole < 60 else { return nil }
            second = Double(whole)
            if take(".") {
                let fraction = digits()
                guard !fraction.isEmpty, let value = Double("\(whole).\(fraction)") else { return nil }
                second = value
            }
        }
        return Double(hour * 3600 + minute * 60) + second
    }

    /// The offset from UTC in seconds: `Z`, `+02:00` or `-0500`.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-") else { return nil }
        let digits = digits()
        var parts = (hours: digits.prefix(2), minutes: digits.dropFirst(2))
        if take(":") {
            guard parts.minutes.isEmpty else { return nil }
            parts.minutes = Substring(self.digits())
        }
        guard parts.hours.utf8.count == 2, parts.minutes.utf8.count == 2, let hours = Int(parts.hours),
            let minutes = Int(parts.minutes), hours < 24, minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isEast ? 1 : -1)
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

private func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

private func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// The days from 1 January 2001 to 1 January of a year.
private func daysSinceReferenceDate(toYear year: Int) -> Int {
    // Computed from the year 1, which is 730,485 days before 2001.
    let before = year - 1
    func floorDivide(_ number: Int, _ divisor: Int) -> Int { Int((Double(number) / Double(divisor)).rounded(.down)) }
    return before * 365 + floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400) - 730_485
}

private func daysSinceReferenceDate(year: Int, month: Int, day: Int) -> Int {
    (1..<month).reduce(daysSinceReferenceDate(toYear: year)) { $0 + daysInMonth($1, of: year) } + day - 1
}

private func civilDate(daysSinceReferenceDate days: Int) -> (year: Int, month: Int, day: Int)? {
    // Limits the estimate's error to one year, far beyond the years that have a text.
    guard abs(days) < 4_000_000 else { return nil }
    var year = 2001 + Int((Double(days) / 365.2425).rounded(.down))
    if daysSinceReferenceDate(toYear: year + 1) <= days { year += 1 }
    if daysSinceReferenceDate(toYear: year) > days { year -= 1 }
    var month = 1
    var day = days - daysSinceReferenceDate(toYear: year)
    while day >= daysInMonth(month, of: year) {
        day -= daysInMonth(month, of: year)
        month += 1
    }
    return (year, month, day + 1)
}
