// SPDX-License-Identifier: Apache-2.0
// Errors of a JSON text: what was expected, what was found and where, with hints for usual mistakes.

public import SourceText

/// The reason why a text was refused as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public static let duplicateName = Code(description: "duplicateName")
        public static let invalidNumber = Code(description: "invalidNumber")
        public static let invalidString = Code(description: "invalidString")
        public static let invalidUTF8 = Code(description: "invalidUTF8")
        public static let limitExceeded = Code(description: "limitExceeded")
        public static let syntax = Code(description: "syntax")
        public static let tooManyValues = Code(description: "tooManyValues")
        public static let unexpectedEnd = Code(description: "unexpectedEnd")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String
    public let position: TextPosition

    /// `line:column: message`, to be appended to a file name and a colon.
    public var description: String { "\(position): \(message)" }
}

extension JSONError {
    static func syntax(
        expected: String,
        found: String?,
        hint: String?,
        at position: TextPosition
    ) -> JSONError {
        let hint = hint.map { " (\($0))" } ?? ""
        return JSONError(
            code: found == nil ? .unexpectedEnd : .syntax,
            message: "Expected \(expected), found \(found ?? "the end of the text")\(hint).",
            position: position
        )
    }

    static func duplicateName(_ name: String, at position: TextPosition) -> JSONError {
        JSONError(
            code: .duplicateName,
            message: "The name \"\(name)\" occurs twice in the object.",
            position: position
        )
    }

    static func invalidNumber(_ message: String, at position: TextPosition) -> JSONError {
        JSONError(code: .invalidNumber, message: message, position: position)
    }

    static func invalidString(_ message: String, at position: TextPosition) -> JSONError {
        JSONError(code: .invalidString, message: message, position: position)
    }

    static func invalidUTF8(at position: TextPosition) -> JSONError {
        JSONError(code: .invalidUTF8, message: "The bytes here aren't valid UTF-8.", position: position)
    }

    static func tooManyValues(limit: Int, at position: TextPosition) -> JSONError {
        JSONError(
            code: .tooManyValues,
            message: "The text has more than \(limit) values, the limit.",
            position: position
        )
    }

    static func limitExceeded(_ what: String, limit: Int, at position: TextPosition) -> JSONError {
        JSONError(
            code: .limitExceeded,
            message: "The text has \(what); at most \(limit) are allowed.",
            position: position
        )
    }
}
