// SPDX-License-Identifier: Apache-2.0
// Writes JSON text directly, without a tree of values.

/// UTF-8 bytes of JSON. Each call writes a complete value or name; the caller writes commas and brackets.
///
///     var buffer = JSONBuffer()
///     buffer.write(raw: "{\"title\":")
///     buffer.write(string: title)
///     buffer.write(raw: "}")
public struct JSONBuffer: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// The wanted size in bytes. Writing beyond it is allowed, and sets `isFull`.
    public var limit = Int.max
    /// Whether there are more bytes than wanted.
    public var isFull: Bool { bytes.count > limit }

    public init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    /// Makes room for so many more bytes at once, where these are many.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    public mutating func write(raw bytes: [UInt8]) { self.bytes += bytes }

    /// Writes a part of an array.
    public mutating func write(raw bytes: [UInt8], _ range: Range<Int>) { append(bytes.span.extracting(range)) }

    public mutating func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    public mutating func write(byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

    public mutating func write(_ flag: Bool) { flag ? write(raw: "true") : write(raw: "false") }

    public mutating func writeNull() { write(raw: "null") }

    public mutating func write(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = number.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span.extracting(start..<digits.count))
    }

    /// Writes the shortest text that reads back as the same number; null for NaN and the infinities.
    public mutating func write(_ number: Double) {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            write(whole)
        } else if let number = JSONNumber(number) {
            write(raw: number.text)
        } else {
            writeNull()
        }
    }

    /// Writes the shortest text that reads back as the same float; null for NaN and the infinities.
    public mutating func write(_ number: Float) {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 24 {
            write(whole)
        } else if number.isFinite {
            write(raw: "\(number)".filter { $0 != "+" })
        } else {
            writeNull()
        }
    }

    public mutating func write(string text: String) { write(string: text.utf8.span) }

    /// Writes a string from its bytes, which must be valid UTF-8.
    public mutating func write(string text: Span<UInt8>) {
        bytes.append(.quote)
        if Self.needsEscapes(text) {
            write(escaping: text)
        } else {
            append(text)
        }
        bytes.append(.quote)
    }

    private mutating func append(_ text: Span<UInt8>) {
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes a string from the bytes that a closure appends, which must be UTF-8 without characters to escape.
    ///
    /// - Returns: The closure's result: whether it has appended a string.
    public mutating func write(quoting append: (inout [UInt8]) -> Bool) -> Bool {
        bytes.append(.quote)
        guard append(&bytes) else {
            bytes.removeLast()
            return false
        }
        bytes.append(.quote)
        return true
    }

    /// Checks eight bytes at a time, without an early exit.
    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        let words = text.count / 8
        var found: UInt64 = 0
        for word in 0..<words {
            found |= escapes(in: unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: word * 8, as: UInt64.self))
        }
        if found != 0 { return true }
        for index in words * 8..<text.count where needsEscape(text[index]) { return true }
        return false
    }

    /// Has a bit set if one of the eight bytes must be escaped. A byte below the first one that must be may set one, too.
    private static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8.quote))
        let backslashes = word ^ (ones &* UInt64(UInt8.backslash))
        let below = (word &- ones &* 0x20) & ~word
        return (below | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & (ones &* 0x80)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool { byte < 0x20 || byte == .quote || byte == .backslash }

    public mutating func write(_ value: JSONValue) { bytes += value.serializedBytes() }

    /// Copies what lies between the bytes to escape at once.
    private mutating func write(escaping text: Span<UInt8>) {
        var start = 0
        for index in text.indices where Self.needsEscape(text[index]) {
            append(text.extracting(start..<index))
            write(escaping: text[index])
            start = index + 1
        }
        append(text.extracting(start..<text.count))
    }

    private mutating func write(escaping byte: UInt8) {
        switch byte {
        case .quote: write(raw: "\\\"")
        case .backslash: write(raw: "\\\\")
        case 0x08: write(raw: "\\b")
        case 0x09: write(raw: "\\t")
        case .lineFeed: write(raw: "\\n")
        case 0x0C: write(raw: "\\f")
        case .carriageReturn: write(raw: "\\r")
        case 0..<0x20:
            write(raw: "\\u00")
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        default: bytes.append(byte)
        }
    }
}
