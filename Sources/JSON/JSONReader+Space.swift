// SPDX-License-Identifier: Apache-2.0
// Parsing of white space and comments, and the wording of syntax errors.

extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let slash = UInt8(ascii: "/")
    static let asterisk = UInt8(ascii: "*")
    static let closeBracket = UInt8(ascii: "]")
    static let closeBrace = UInt8(ascii: "}")

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension JSONReader {
    /// The next byte, or 0 at the end. A NUL in the text is refused everywhere.
    var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

    var following: UInt8 { index + 1 < bytes.count ? bytes[index + 1] : 0 }

    mutating func skipSpace() throws(JSONError) {
        while true {
            switch current {
            case 0x20, 0x09, .lineFeed, .carriageReturn: index += 1
            case .slash where allowsComments && following == .slash: skipLine()
            case .slash where allowsComments && following == .asterisk: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while index < bytes.count, current != .lineFeed, current != .carriageReturn { index += 1 }
    }

    private mutating func skipComment() throws(JSONError) {
        index += 2
        while current != .asterisk || following != .slash {
            guard index < bytes.count else { throw expected("*/ to end the comment") }
            index += 1
        }
        index += 2
    }

    /// The letters, digits and underscores at the current position.
    func word() -> String {
        let letters = bytes[index...].prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The error for unexpected text at the current position.
    mutating func expected(_ what: String, hint: String? = nil) -> JSONError {
        let scalar = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
        let found: String? =
            switch scalar {
            case nil: nil
            case " ": "a space"
            case "\n", "\r": "a line end"
            case "'": "\"'\""
            case let scalar? where scalar.value < 0x20 || scalar.properties.isWhitespace:
                "the character \(scalar.codePoint)"
            case let scalar?: "“\(scalar)”"
            }
        return .syntax(expected: what, found: found, hint: hint, at: position())
    }

    /// A hint if a comment is found where none is allowed.
    var commentHint: String? {
        let isComment = current == .slash && (following == .slash || following == .asterisk)
        guard isComment || current == UInt8(ascii: "#") else { return nil }
        return allowsComments ? "write comments as // or /* */" : "JSON has no comments"
    }

    /// A hint if a usual mistake is found in place of a value or name.
    var valueHint: String? {
        switch current {
        case UInt8(ascii: "'"): return "JSON uses double quotes"
        case UInt8(ascii: "+"): return "a number has no plus sign"
        case UInt8(ascii: "."): return "a number needs a digit before its point"
        default: break
        }
        switch word().prefix(16).lowercased() {
        case "": return commentHint
        case "true", "false", "null": return "true, false and null are in lower case"
        case "none", "nil", "undefined": return "write null"
        case "nan", "inf", "infinity": return "JSON has no NaN and no infinity"
        default: return current.isLetter ? "text is in double quotes" : nil
        }
    }

    mutating func trailingComma(_ what: String) -> JSONError {
        expected("\(what) after the comma", hint: "JSON has no trailing commas")
    }
}

extension Unicode.Scalar {
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
