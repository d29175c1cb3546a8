// SPDX-License-Identifier: Apache-2.0

// Splits the text of a JSON array into its elements as it arrives.

import SourceText

/// The elements of an array, of which one is in memory at a time. Elements aren't parsed, but brackets and strings are
/// recognized in them.
struct ArrayElements {
    struct Element {
        let start: TextPosition
        let bytes: [UInt8]
    }

    /// The text isn't an array.
    struct Malformed: Error {
        let line: Int
        let message: String
    }

    private enum State {
        case atStart
        case afterBracket
        case afterElement
        case ended
    }

    private let limit: Int
    private let nextBytes: () throws -> [UInt8]?
    /// The bytes from `index` on have not been split.
    private var bytes: [UInt8] = []
    private var index = 0
    private var position = TextPosition(line: 1, column: 1)
    private var state = State.atStart

    /// - Parameters:
    ///   - limit: The largest number of bytes of an element.
    ///   - nextBytes: Returns the next bytes, any number of them, or nil at the end.
    init(limit: Int, nextBytes: @escaping () throws -> [UInt8]?) {
        self.limit = limit
        self.nextBytes = nextBytes
    }

    /// The next element, or nil at the end. Throws `Malformed` and errors of `nextBytes`.
    mutating func next() throws -> Element? {
        if state == .ended { return nil }
        if state == .atStart {
            while let byte = try current(), byte != UInt8(ascii: "[") { advance(byte) }
            advance(UInt8(ascii: "["))
            state = .afterBracket
        }
        try skipBlanks()
        switch (state, try current()) {
        case (_, UInt8(ascii: "]")):
            advance(UInt8(ascii: "]"))
            try end()
            return nil
        case (.afterElement, UInt8(ascii: ",")):
            advance(UInt8(ascii: ","))
            try skipBlanks()
        case (.afterBracket, _?): break
        case (_, nil): throw malformed("The array has no end: a ] is missing.")
        default: throw malformed("A comma or a ] is missing after the element.")
        }
        state = .afterElement
        return try element()
    }

    /// Reads up to the bracket that ends an element, or to the comma or bracket after one without brackets.
    private mutating func element() throws -> Element {
        let start = position
        var element: [UInt8] = []
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        while let byte = try current() {
            var isLast = false
            if isQuoted {
                isQuoted = byte != UInt8(ascii: "\"") || isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case UInt8(ascii: "\""): isQuoted = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: ",") where depth == 0, UInt8(ascii: "]") where depth == 0:
                    while let last = element.last, last.isJSONBlank { element.removeLast() }
                    return Element(start: start, bytes: element)
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    isLast = depth == 0
                default: break
                }
            }
            guard element.count < limit else {
                throw Malformed(line: start.line, message: "The element has more than \(limit) bytes.")
            }
            element.append(byte)
            advance(byte)
            if isLast { return Element(start: start, bytes: element) }
        }
        throw Malformed(line: start.line, message: "The array ends within this element.")
    }

    private mutating func end() throws {
        state = .ended
        try skipBlanks()
        if try current() != nil { throw malformed("There is text after the end of the array.") }
    }

    private func malformed(_ message: String) -> Malformed { Malformed(line: position.line, message: message) }

    // MARK: Bytes

    private mutating func current() throws -> UInt8? {
        while index == bytes.count {
            guard let more = try nextBytes() else { return nil }
            bytes = more
            index = 0
        }
        return bytes[index]
    }

    /// Moves behind the current byte.
    private mutating func advance(_ byte: UInt8) {
        index += 1
        if byte == UInt8(ascii: "\n") {
            position = TextPosition(line: position.line + 1, column: 1)
        } else if byte & 0xC0 != 0x80 {
            position.column += 1
        }
    }

    private mutating func skipBlanks() throws {
        while let byte = try current(), byte.isJSONBlank { advance(byte) }
    }
}

extension UInt8 {
    /// Whether it is a blank between the tokens of JSON.
    var isJSONBlank: Bool { self == 0x20 || (0x09...0x0A).contains(self) || self == 0x0D }
}
