// SPDX-License-Identifier: Apache-2.0
// Reads values one after the other from a text of any length while it comes in; no more than one of them is in memory.

public import SourceText

/// Takes the elements out of a JSON array, or the values out of lines, without the text being there as a whole.
///
/// ```swift
/// var reader = JSONStreamReader(.lines) { try body.read() }
/// while let value = try reader.next() { insert(value, line: reader.start.line) }
/// ```
///
/// After an error it is of no more use.
public struct JSONStreamReader {
    public enum Layout: Hashable, Sendable {
        /// `[1, 2]`: the elements of the array that the text is.
        case array
        /// A value a line, as in newline-delimited JSON. Empty lines are passed over.
        case lines
    }

    /// Where the value begins that was read last.
    public private(set) var start = TextPosition(line: 1, column: 1)

    private let layout: Layout
    private let limits: JSONLimits
    private let nextBytes: () throws -> [UInt8]?
    private var stage = Stage.beginning
    /// What has come and isn't read yet begins at `index`.
    private var bytes: [UInt8] = []
    private var index = 0
    private var isComplete = false
    /// Of `index`.
    private var position = TextPosition(line: 1, column: 1)
    private var followsCarriageReturn = false

    private enum Stage {
        case beginning
        case opened
        case within
        case ended
    }

    /// - Parameters:
    ///   - limits: For each value; none has more bytes in its text than that.
    ///   - nextBytes: Gives the next bytes, as many as there are, and nil at the end.
    public init(
        _ layout: Layout,
        limits: JSONLimits = .default,
        nextBytes: @escaping () throws -> [UInt8]?
    ) {
        (self.layout, self.limits, self.nextBytes) = (layout, limits, nextBytes)
    }

    /// The next value; nil at the end. It throws a `JSONError` for what is no JSON, and what `nextBytes` throws.
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

    /// Nothing but space may follow the array.
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

    /// How many bytes the element has that begins here. What is wrong within it shows when it is read.
    private mutating func elementCount() throws -> Int {
        switch bytes[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), .quote:
            var (depth, isString, isEscaped) = (0, false, false)
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

    /// How many bytes there are from here to where a closure sees the end, or to that of the text. They have come then.
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

    /// What stands here is told as a whole, for which some more may have to come: a character, or how a comment begins.
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
    /// The byte to be read next; nil at the end of the text.
    private mutating func current() throws -> UInt8? {
        while index == bytes.count {
            guard try receive() else { return nil }
        }
        return bytes[index]
    }

    /// Takes in more bytes, and forgets those that were read; false at the end. It is once a value at most that bytes are moved.
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
