// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    /// `42`, `1.5e3`, `0x1F`, `0o17`, `0b101`; the parser handles signs.
    mutating func number() throws(FormatError) -> Token.Kind {
        let start = position
        if peek() == UInt8(ascii: "0"), let letter = peek(1), let radix = Self.radix(letter) {
            return .number(try integer(radix: radix, start: start))
        }
        skipDigits()
        var isDouble = false
        if peek() == UInt8(ascii: "."), let byte = peek(1), Self.isDigit(byte) {
            isDouble = true
            position += 1
            skipDigits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e"), hasExponent {
            isDouble = true
            position += peek(1).map(Self.isDigit) == true ? 1 : 2
            skipDigits()
        }
        try refuseTrailingName(start: start)
        let literal = text(from: start, to: position)
        if isDouble {
            guard let double = Double(literal), double.isFinite else {
                throw FormatError(.malformed, at: start, message: "The number \(literal) is too large.")
            }
            return .number(.double(double))
        }
        return .number(UInt64(literal).map(NumberLiteral.integer) ?? .wide(literal))
    }

    /// A string in single or double quotes with C's escapes. Placeholders in it are literal.
    mutating func string() throws(FormatError) -> String {
        let start = position
        let quote = bytes[start]
        position += 1
        guard let end = bytes[position...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "\\") }) else {
            throw unterminated(start)
        }
        if bytes[end] == quote {
            defer { position = end + 1 }
            return text(from: position, to: end)
        }
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &content)
            } else {
                content.append(byte)
            }
        }
        throw unterminated(start)
    }
}

extension Lexer {
    private mutating func skipDigits() {
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
    }

    private var hasExponent: Bool {
        guard let next = peek(1) else { return false }
        let isSign = next == UInt8(ascii: "+") || next == UInt8(ascii: "-")
        return Self.isDigit(next) || isSign && peek(2).map(Self.isDigit) == true
    }

    private static func radix(_ letter: UInt8) -> Int? {
        switch letter | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private mutating func integer(radix: Int, start: Int) throws(FormatError) -> NumberLiteral {
        position += 2
        let digits = position
        while let byte = peek(), Self.continuesName(byte) { position += 1 }
        guard let number = UInt64(text(from: digits, to: position), radix: radix) else {
            throw FormatError(
                .malformed,
                at: start,
                message: "“\(text(from: start, to: position))” isn't a 64-bit number in base \(radix)."
            )
        }
        return .integer(number)
    }

    private func refuseTrailingName(start: Int) throws(FormatError) {
        guard let byte = peek(), Self.continuesName(byte) else { return }
        throw FormatError(
            .malformed,
            at: start,
            message: "A number is followed directly by a name.",
            hint: "Names begin with a letter; text is in quotes."
        )
    }

    private func unterminated(_ start: Int) -> FormatError {
        let quote = UnicodeScalar(bytes[start])
        return FormatError(
            .malformed,
            at: start,
            expected: "a closing \(quote)",
            found: "the end",
            message: "The string that begins here has no closing \(quote)."
        )
    }

    /// Reads an escape after a backslash. A backslash without an escape is literal, so that patterns don't need
    /// doubling.
    private mutating func escape(into content: inout [UInt8]) throws(FormatError) {
        let start = position - 1
        guard let byte = peek() else { return }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): content.append(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            append(digits(upTo: 3, radix: 8), to: &content)
        case UInt8(ascii: "x"): append(try hexadecimal(2, start: start), to: &content)
        case UInt8(ascii: "u"): append(try codeUnits(start: start), to: &content)
        default: content += [UInt8(ascii: "\\"), byte]
        }
    }

    private func append(_ scalar: UInt32, to content: inout [UInt8]) {
        content += Array(String(UnicodeScalar(scalar) ?? "\u{FFFD}").utf8)
    }

    /// One `\u` escape, or two that form a surrogate pair.
    private mutating func codeUnits(start: Int) throws(FormatError) -> UInt32 {
        let first = try hexadecimal(4, start: start)
        guard (0xD800...0xDFFF).contains(first) else { return first }
        if first < 0xDC00, peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
            position += 2
            let second = try hexadecimal(4, start: start)
            if (0xDC00...0xDFFF).contains(second) { return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00) }
        }
        throw FormatError(.malformed, at: start, message: "The escape is one half of a surrogate pair.")
    }

    private mutating func hexadecimal(_ count: Int, start: Int) throws(FormatError) -> UInt32 {
        let before = position
        let number = digits(upTo: count, radix: 16)
        guard position - before == count else {
            throw FormatError(.malformed, at: start, message: "The escape needs \(count) hexadecimal digits.")
        }
        return number
    }

    private mutating func digits(upTo count: Int, radix: Int) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<count {
            guard let byte = peek(), let digit = Character(UnicodeScalar(byte)).hexDigitValue, digit < radix else {
                break
            }
            number = number * UInt32(radix) + UInt32(digit)
            position += 1
        }
        return number
    }
}
