// SPDX-License-Identifier: Apache-2.0

// Dates from the text that RFC 3339 has for them, and whether sending one back means another.

import FoundationEssentials
import SourceText

extension Date {
    /// Reads date, time and offset; nil for anything else, such as a date alone.
    init?(rfc3339 text: String) {
        var bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 64, bytes[13] == .colon, bytes[16] == .colon else { return nil }
        // Upper and lower case are the same, and a second is added where a day has one more.
        guard bytes[10] | 0x20 == UInt8(ascii: "t") else { return nil }
        bytes[10] = UInt8(ascii: "T")
        if bytes[bytes.count - 1] == UInt8(ascii: "z") { bytes[bytes.count - 1] = UInt8(ascii: "Z") }
        guard bytes[bytes.count - 1] == UInt8(ascii: "Z") || bytes[bytes.count - 3] == .colon else { return nil }
        let isLeap = bytes[17] == UInt8(ascii: "6") && bytes[18] == UInt8(ascii: "0")
        if isLeap { (bytes[17], bytes[18]) = (UInt8(ascii: "5"), UInt8(ascii: "9")) }
        guard let date = Date(iso8601: String(decoding: bytes, as: UTF8.self)) else { return nil }
        self = isLeap ? date + 1 : date
        // The last moments of the year 9999 are nearer to the next year, which has no text, than to any date that can be told
        // from it.
        if !isLeap, self == Self.startOfYear10000, bytes[17] == UInt8(ascii: "5"), bytes[18] == UInt8(ascii: "9") {
            self = Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate.nextDown)
        }
    }

    /// Reads a date without a time, `2026-11-21`, as midnight UTC.
    init?(day text: String) {
        guard text.utf8.count == 10 else { return nil }
        self.init(iso8601: text)
    }

    /// The beginning of the year 10000.
    private static let startOfYear10000 = Date(timeIntervalSinceReferenceDate: 252_423_993_600)

    /// Whether a client that was shown another date means that one: dates are shown to the microsecond, and may be stored finer.
    func isShown(of stored: Date) -> Bool {
        guard self != stored, let text = DateText.text(self), text == DateText.text(stored) else {
            return self == stored
        }
        return Date(iso8601: text) == self
    }
}

extension UInt8 {
    fileprivate static let colon = UInt8(ascii: ":")
}
