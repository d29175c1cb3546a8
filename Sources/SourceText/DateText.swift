// SPDX-License-Identifier: Apache-2.0

// Dates in RFC 3339 format with microseconds, computed without a formatter.

public import FoundationEssentials

/// Formats dates in UTC: `2026-11-21T09:30:00.25Z`.
public enum DateText {
    /// Appends a date with up to six decimals, without trailing zeros.
    ///
    /// - Returns: False if the date is outside the years 0 to 9999; then nothing is written.
    @discardableResult
    public static func write(_ date: Date, into output: inout [UInt8]) -> Bool {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.magnitude < 1e12 else { return false }
        var seconds = Int(interval.rounded(.down))
        // Rounding can carry into the next second.
        var micros = Int(((interval - Double(seconds)) * 1e6).rounded())
        if micros == 1_000_000 {
            seconds += 1
            micros = 0
        }
        let day = Int((Double(seconds) / 86400).rounded(.down))
        let (year, month, dayOfMonth) = civil(daysSinceReferenceDate: day)
        guard (0...9999).contains(year) else { return false }
        let second = seconds - day * 86400
        append(year, 4, to: &output)
        output.append(UInt8(ascii: "-"))
        append(month, 2, to: &output)
        output.append(UInt8(ascii: "-"))
        append(dayOfMonth, 2, to: &output)
        output.append(UInt8(ascii: "T"))
        append(second / 3600, 2, to: &output)
        output.append(UInt8(ascii: ":"))
        append(second / 60 % 60, 2, to: &output)
        output.append(UInt8(ascii: ":"))
        append(second % 60, 2, to: &output)
        if micros > 0 {
            output.append(UInt8(ascii: "."))
            append(micros, 6, to: &output)
            while output.last == UInt8(ascii: "0") { output.removeLast() }
        }
        output.append(UInt8(ascii: "Z"))
        return true
    }

    /// The text of a date, or nil outside the years 0 to 9999.
    public static func text(_ date: Date) -> String? {
        var output: [UInt8] = []
        return write(date, into: &output) ? String(decoding: output, as: UTF8.self) : nil
    }

    /// Appends an even number of digits.
    private static func append(_ number: Int, _ width: Int, to output: inout [UInt8]) {
        if width > 2 { append(number / 100, width - 2, to: &output) }
        let rest = UInt8(truncatingIfNeeded: number % 100)
        output.append(UInt8(ascii: "0") + rest / 10)
        output.append(UInt8(ascii: "0") + rest % 10)
    }

    /// Counts years from March, so that leap days come last, in eras of 400 years.
    private static func civil(daysSinceReferenceDate days: Int) -> (year: Int, month: Int, day: Int) {
        // The offset from 1 March of the year 0 to 1 January 2001, in days.
        let shifted = days + 730_791
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
