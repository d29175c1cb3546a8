// SPDX-License-Identifier: Apache-2.0

import SourceText

/// Splits a format string into tokens. Positions are byte offsets.
struct Lexer {
    let bytes: [UInt8]
    var position = 0
    /// The number of placeholders without an explicit index so far, which is the index of the next one's argument.
    var argumentCount = 0

    init(_ format: String) {
        bytes = Array(format.utf8)
    }

    mutating func next() throws(FormatError) -> Token {
        skipWhitespace()
        let start = position
        guard let byte = peek() else { return Token(kind: .end, start: start, end: start) }
        let kind: Token.Kind
        switch byte {
        case 0xE2 where isTypographicQuote: throw typographicQuote(start)
        case _ where Self.startsName(byte): kind = try name()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): kind = try number()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): kind = .string(try string())
        case UInt8(ascii: "%"): kind = try placeholder()
        case UInt8(ascii: "$"): kind = try variable()
        case UInt8(ascii: "#"): kind = try escapedName()
        case UInt8(ascii: "@"): kind = try collectionOperator()
        default: kind = .symbol(try symbol())
        }
        return Token(kind: kind, start: start, end: position)
    }

    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    func text(from start: Int, to end: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The text of a token for error messages.
    func shown(_ token: Token) -> String {
        if token.kind == .end { return "the end" }
        let text = text(from: token.start, to: token.end)
        return "“\(text.count > 40 ? text.prefix(39) + "…" : text[...])”"
    }

    /// Whether a byte can begin a name: a letter, `_`, or any non-ASCII byte.
    static func startsName(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func continuesName(_ byte: UInt8) -> Bool {
        startsName(byte) || isDigit(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension Lexer {
    private mutating func skipWhitespace() {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), 0x09...0x0D: position += 1
            // U+00A0, a remnant of copying from web pages.
            case 0xC2 where peek(1) == 0xA0: position += 2
            default: return
            }
        }
    }

    /// ‘ ’ ‚ ‛ “ ” „ ‟, which word processors substitute for quotes.
    private var isTypographicQuote: Bool {
        peek(1) == 0x80 && peek(2).map { (0x98...0x9F).contains($0) } == true
    }

    private func typographicQuote(_ start: Int) -> FormatError {
        let quote = text(from: start, to: start + 3)
        return FormatError(
            .unexpected,
            at: start,
            found: quote,
            message: "The character \(quote) has no meaning here.",
            hint: Self.quoteHint
        )
    }

    private mutating func bareName() -> String {
        let start = position
        while let byte = peek(), Self.continuesName(byte), !(byte == 0xC2 && peek(1) == 0xA0) { position += 1 }
        return text(from: start, to: position)
    }

    private mutating func name() throws(FormatError) -> Token.Kind {
        let start = position
        let name = bareName()
        if peek() == UInt8(ascii: ":"), peek(1) != UInt8(ascii: "=") {
            position += 1
            while let byte = peek(), Self.startsName(byte) {
                let segment = position
                _ = bareName()
                guard peek() == UInt8(ascii: ":") else {
                    position = segment
                    break
                }
                position += 1
            }
            return .selector(text(from: start, to: position))
        }
        if name.utf8.count == 3, name.lowercased() == "uti", peek() == UInt8(ascii: "-") {
            throw FormatError(
                .unsupported,
                at: start,
                message:
                    "The operators UTI-CONFORMS-TO and UTI-EQUALS are not supported: type identifiers are Apple's own."
            )
        }
        return Keyword(name).map(Token.Kind.keyword) ?? .name(name)
    }

    /// `#in`: a keyword as a name; `#"any text"`: a name that is not an identifier.
    private mutating func escapedName() throws(FormatError) -> Token.Kind {
        let start = position
        position += 1
        switch peek() {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .name(try string())
        case let byte? where Self.startsName(byte): return .name(bareName())
        default:
            throw FormatError(
                .malformed,
                at: start,
                message: "Expected a property's name after “#”.",
                hint: "“#” takes a reserved word as a name: #in."
            )
        }
    }

    private mutating func variable() throws(FormatError) -> Token.Kind {
        let start = position
        position += 1
        guard let byte = peek(), Self.startsName(byte) else {
            throw FormatError(.malformed, at: start, message: "Expected a variable's name after “$”.")
        }
        return .variable(bareName())
    }

    private mutating func collectionOperator() throws(FormatError) -> Token.Kind {
        let start = position
        position += 1
        let name = "@" + bareName()
        if let known = CollectionOperator(rawValue: name) { return .collectionOperator(known) }
        if name.hasSuffix("OfArrays") || name.hasSuffix("OfSets") {
            throw FormatError(
                .unsupported,
                at: start,
                message: "The collection operator \(name) is not supported.",
                hint: "A key path through collections flattens them; @distinctUnionOfObjects drops duplicates."
            )
        }
        throw FormatError(
            .unknown,
            at: start,
            expected: "a collection operator",
            found: "“\(name)”",
            message: "There is no collection operator “\(name)”.",
            hint: Spelling.hint(for: name, among: CollectionOperator.allCases.map(\.rawValue))
        )
    }

    private mutating func symbol() throws(FormatError) -> Symbol {
        let start = position
        let first = UInt16(bytes[start]) << 8
        if let second = peek(1), let long = Self.symbols[first | UInt16(second)] {
            position += 2
            return long
        }
        if let short = Self.symbols[first] {
            position += 1
            return short
        }
        let rest = String(decoding: bytes[start...].prefix(16), as: UTF8.self)
        throw FormatError(
            .unexpected,
            at: start,
            found: rest.first.map { "“\($0)”" },
            message: "The character “\(rest.prefix(1))” has no meaning here.",
            hint: rest.first.flatMap { Self.symbolHints[$0] }
        )
    }

    private static let quoteHint = "Write text in ' or \" quotes; write “#” before a reserved word that is a name."

    /// Hints for characters that other languages have.
    private static let symbolHints: [Character: String] = [
        "`": quoteHint,
        "?": "A placeholder is %@; a choice is TERNARY(predicate, a, b).",
    ]

    /// The symbols and their synonyms by their first and second byte; the second is zero for single-byte symbols.
    private static let symbols: [UInt16: Symbol] = {
        let synonyms: [(String, Symbol)] = [
            ("=", .equal), ("<>", .notEqual), ("=<", .lessOrEqual), ("=>", .greaterOrEqual),
        ]
        // '%%' is excluded, since '%' begins placeholders.
        let all = Symbol.allCases.filter { $0 != .modulus }.map { ($0.rawValue, $0) } + synonyms
        return Dictionary(
            uniqueKeysWithValues: all.map { text, symbol in
                let bytes = Array(text.utf8)
                return (UInt16(bytes[0]) << 8 | UInt16(bytes.count > 1 ? bytes[1] : 0), symbol)
            }
        )
    }()
}
