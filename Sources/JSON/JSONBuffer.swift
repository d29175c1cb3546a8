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

    public mutating func write(raw text: String) { bytes.append(contentsOf: text.utf8) }

    public mutating func write(byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

    public mutating func write(_ flag: Bool) { flag ? write(raw: "true") : write(raw: "false") }

    public mutating func writeNull() { write(raw: "null") }

    public mutating func write(_ number: Int64) {
        var rest = number.magnitude
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
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

    public mutating func write(string text: String) {
        bytes.append(.quote)
        let view = text.utf8
        if Self.needsEscapes(view.span) {
            for byte in view { write(escaping: byte) }
        } else {
            bytes.append(contentsOf: view)
        }
        bytes.append(.quote)
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

    /// Checks all bytes without an early exit, which is faster.
    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        var found: UInt8 = 0
        for index in text.indices {
            let byte = text[index]
            found |= byte < 0x20 || byte == .quote || byte == .backslash ? 1 : 0
        }
        return found != 0
    }

    public mutating func write(_ value: JSONValue) { bytes += value.serializedBytes() }

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
