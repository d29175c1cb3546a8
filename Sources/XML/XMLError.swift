// SPDX-License-Identifier: Apache-2.0
// Errors of an XML text: what was expected, what was found and where.

public import SourceText

/// The reason why a text was refused as XML, or why a tree can't be written.
public struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public static let duplicateAttribute = Code(description: "duplicateAttribute")
        public static let forbiddenCharacter = Code(description: "forbiddenCharacter")
        public static let invalidReference = Code(description: "invalidReference")
        public static let invalidUTF8 = Code(description: "invalidUTF8")
        public static let limitExceeded = Code(description: "limitExceeded")
        public static let mismatchedTag = Code(description: "mismatchedTag")
        public static let syntax = Code(description: "syntax")
        public static let undeclaredEntity = Code(description: "undeclaredEntity")
        public static let unexpectedEnd = Code(description: "unexpectedEnd")
        public static let unsupportedEncoding = Code(description: "unsupportedEncoding")
        /// XML can't represent a part of the tree, such as a NUL or a name with a space.
        public static let unwritable = Code(description: "unwritable")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String
    /// Nil for trees that were not read from a text.
    public let position: TextPosition?

    /// `line:column: message`, to be appended to a file name and a colon.
    public var description: String {
        position.map { "\($0): \(message)" } ?? message
    }
}

extension XMLError {
    static func emptyDocument(at position: TextPosition) -> XMLError {
        XMLError(
            code: .unexpectedEnd,
            message: "Expected a root element, found the end of the text.",
            position: position
        )
    }

    static func syntax(expected: String, found: String?, at position: TextPosition) -> XMLError {
        XMLError(
            code: found == nil ? .unexpectedEnd : .syntax,
            message: "Expected \(expected), found \(found ?? "the end of the text").",
            position: position
        )
    }

    static func misplaced(_ message: String, at position: TextPosition) -> XMLError {
        XMLError(code: .syntax, message: message, position: position)
    }

    static func mismatchedTag(_ name: String, open: XMLElement, at position: TextPosition) -> XMLError {
        let opened = open.position.map { ", opened at \($0)" } ?? ""
        return XMLError(
            code: .mismatchedTag,
            message: "Expected </\(open.name)> to close <\(open.name)>\(opened), found </\(name)>.",
            position: position
        )
    }

    static func unclosed(_ open: XMLElement, at position: TextPosition) -> XMLError {
        let opened = open.position.map { ", opened at \($0)" } ?? ""
        return XMLError(
            code: .unexpectedEnd,
            message: "Expected </\(open.name)> to close <\(open.name)>\(opened), found the end of the text.",
            position: position
        )
    }

    static func duplicateAttribute(_ name: String, of element: String, at position: TextPosition) -> XMLError {
        XMLError(
            code: .duplicateAttribute,
            message: "The attribute \(name) occurs twice in <\(element)>.",
            position: position
        )
    }

    static func undeclaredEntity(_ name: String, at position: TextPosition) -> XMLError {
        XMLError(
            code: .undeclaredEntity,
            message: "The entity &\(name); is unknown: only &amp; &lt; &gt; &quot; and &apos; may be used, "
                + "and declarations in the document are not read.",
            position: position
        )
    }

    static func invalidReference(_ text: String, at position: TextPosition) -> XMLError {
        XMLError(
            code: .invalidReference,
            message: "The reference \(text) doesn't name a character that XML allows.",
            position: position
        )
    }

    static func forbidden(_ scalar: Unicode.Scalar, at position: TextPosition?) -> XMLError {
        XMLError(
            code: .forbiddenCharacter,
            message: "The character \(scalar.codePoint) isn't allowed in XML.",
            position: position
        )
    }

    static func invalidUTF8(at position: TextPosition) -> XMLError {
        XMLError(code: .invalidUTF8, message: "The bytes here aren't valid UTF-8.", position: position)
    }

    static func unsupportedEncoding(_ name: String, at position: TextPosition) -> XMLError {
        XMLError(
            code: .unsupportedEncoding,
            message: "The text is encoded as \(name), but only UTF-8 and US-ASCII can be read.",
            position: position
        )
    }

    static func limitExceeded(_ what: String, limit: Int, at position: TextPosition) -> XMLError {
        XMLError(
            code: .limitExceeded,
            message: "The text has \(what); at most \(limit) are allowed.",
            position: position
        )
    }

    static func unwritable(_ message: String, at position: TextPosition?) -> XMLError {
        XMLError(code: .unwritable, message: message, position: position)
    }
}

extension Unicode.Scalar {
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
