// SPDX-License-Identifier: Apache-2.0
// Reads values from a text of any length as it arrives, keeping one of them in memory.

public import SourceText

/// Reads the elements of a JSON array, or the values of lines, without having the whole text in memory.
///
/// ```swift
/// var reader = JSONStreamReader(.lines) { try body.read() }
/// while let value = try reader.next() { insert(value, line: reader.start.line) }
/// ```
///
/// After an error the reader is unusable.
public struct JSONStreamReader {
    public enum Layout: Hashable, Sendable {
        /// `[1, 2]`: the elements of one array.
        case array
        /// One value per line (newline-delimited JSON). Empty lines are skipped.
        case lines
    }

    /// The position of the last value that was read.
    public private(set) var start = TextPosition(line: 1, column: 1)

    private let layout: Layout
    private let limits: JSONLimits
    private let nextBytes: () throws -> [UInt8]?
    private var stage = Stage.beginning
    /// The bytes from `index` on have not been parsed.
    private var bytes: [UInt8] = []
    private var index = 0
    private var isComplete = false
    /// The position of `index`.
    private var position = TextPosition(line: 1, column: 1)
    private var followsCarriageReturn = false

    private enum Stage {
        case beginning
        case opened
        case within
        case ended
    }

    /// - Parameters:
    ///   - limits: Apply to each value and the bytes of its text.
    ///   - nextBytes: Returns the next bytes, any number of them, or nil at the end.
    public init(
        _ layout: Layout,
        limits: JSONLimits = .default,
        nextBytes: @escaping () throws -> [UInt8]?
    ) {
        self.layout = layout
        self.limits = limits
        self.nextBytes = nextBytes
    }

    /// The next value, or nil at the end. Throws a `JSONError` for malformed text, and errors of `nextBytes`.
    public mutating func next() throws -> JSONValue? {
        if stage == .beginning { try skipByteOrderMark() }
        switch layout {
        case .array: return try nextElement()
        case .lines: return try nextLine()
        }
    }
}

extension JSONStreamReader {
    private mutating func nextElement() throws -> JSONValue? {
        try skipSpace()
        switch stage {
        case .beginning:
            guard try current() == UInt8(ascii: "[") else { throw try expected("an array, which begins with [") }
            skip()
            stage = .opened
            try skipSpace()
            if try current() == .closeBracket { return try end() }
        case .opened: break
        case .within:
            switch try current() {
            case .comma: skip()
            case .closeBracket: return try end()
            default: throw try expected("a comma, or ] to close the array")
            }
            try skipSpace()
            if try current() == .closeBracket {
                throw try expected("a value after the comma", hint: "JSON has no trailing commas")
            }
        case .ended: return nil
        }
        stage = .within
        guard try current() != nil, case let count = try elementCount(), count > 0 else {
            throw try expected("a value")
        }
        return try value(count: count)
    }

    /// Requires that only space follows the array.
    private mutating func end() throws -> JSONValue? {
        skip()
        try skipSpace()
        guard try current() == nil else { throw try expected("the end of the text after the array") }
        stage = .ended
        return nil
    }

    private mutating func nextLine() throws -> JSONValue? {
        stage = .within
        try skipSpace()
        guard try current() != nil else { return nil }
        let count = try count { byte in byte == .lineFeed || byte == .carriageReturn ? .before : .further }
        return try value(count: count)
    }

    /// The number of bytes of the next element, which is parsed afterwards.
    private mutating func elementCount() throws -> Int {
        switch bytes[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), .quote:
            var depth = 0
            var isString = false
            var isEscaped = false
            return try count { byte in
                if isString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == .backslash {
                        isEscaped = true
                    } else if byte == .quote {
                        isString = false
                        if depth == 0 { return .with }
                    }
                    return .further
                }
                switch byte {
                case .quote: isString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case .closeBrace, .closeBracket:
                    depth -= 1
                    if depth == 0 { return .with }
                default: break
                }
                return .further
            }
        default:
            return try count { byte in
                byte == .comma || byte == .closeBracket || byte.isSpace ? .before : .further
            }
        }
    }

    private enum End {
        case before
        case with
        case further
    }

    /// The number of bytes up to where a closure finds the end, or to the end of the text, all of which are received.
    private mutating func count(_ end: (UInt8) -> End) throws -> Int {
        var count = 0
        while true {
            while index + count < bytes.count {
                switch end(bytes[index + count]) {
                case .further: count += 1
                case .before: return count
                case .with: return count + 1
                }
            }
            guard count <= limits.bytes else {
                throw JSONError.limitExceeded("a value of \(count) bytes", limit: limits.bytes, at: position)
            }
            guard try receive() else { return count }
        }
    }

    private mutating func value(count: Int) throws -> JSONValue {
        start = position
        var reader = JSONReader(bytes: Array(bytes[index..<index + count]), from: position, limits: limits)
        let value = try reader.document()
        index += count
        position = reader.position()
        return value
    }

    /// The error for unexpected text. Receives enough bytes for it to show a whole character or recognize a comment.
    private mutating func expected(_ what: String, hint: String? = nil) throws -> JSONError {
        let needed =
            switch try current() {
            case .slash: 2
            case let byte? where byte >= 0x80: 4
            default: 1
            }
        while bytes.count - index < needed, try receive() {}
        var reader = JSONReader(bytes: Array(bytes[index...].prefix(16)), from: position, limits: limits)
        let comment = reader.commentHint
        return reader.expected(what, hint: hint ?? comment)
    }
}

extension JSONStreamReader {
    /// The next byte, or nil at the end of the text.
    private mutating func current() throws -> UInt8? {
        while index == bytes.count {
            guard try receive() else { return nil }
        }
        return bytes[index]
    }

    /// Receives more bytes and discards the consumed ones; false at the end. Bytes are moved at most once per value.
    private mutating func receive() throws -> Bool {
        guard !isComplete else { return false }
        guard let more = try nextBytes() else {
            isComplete = true
            return false
        }
        if index == bytes.count {
            bytes = more
        } else {
            bytes.removeSubrange(..<index)
            bytes += more
        }
        index = 0
        return true
    }

    private mutating func skip() {
        index += 1
        position.column += 1
    }

    private mutating func skipSpace() throws {
        while let byte = try current(), byte.isSpace {
            index += 1
            switch byte {
            case .lineFeed where followsCarriageReturn: break
            case .lineFeed, .carriageReturn: position = TextPosition(line: position.line + 1, column: 1)
            default: position.column += 1
            }
            followsCarriageReturn = byte == .carriageReturn
        }
        followsCarriageReturn = false
    }

    private mutating func skipByteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while bytes.count < mark.count, bytes == Array(mark.prefix(bytes.count)), try receive() {}
        if bytes.starts(with: mark) { index = mark.count }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == .lineFeed || self == .carriageReturn }
}
