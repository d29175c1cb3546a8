// SPDX-License-Identifier: Apache-2.0

// Errors of a CSV text.

public import SourceText

/// The reason why a text was refused as CSV.
public struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        public static let strayQuote = Code(description: "strayQuote")
        public static let afterQuote = Code(description: "afterQuote")
        public static let unclosedQuote = Code(description: "unclosedQuote")
        public static let invalidUTF8 = Code(description: "invalidUTF8")
        public static let limitExceeded = Code(description: "limitExceeded")
    }

    public let code: Code
    /// One sentence in plain English.
    public let message: String
    public let position: TextPosition

    /// Whether only the current row is invalid; the reader continues with the next one.
    public var affectsOneRow: Bool { code == .invalidUTF8 }

    /// `line:column: message`, to be appended to a file name and a colon.
    public var description: String { "\(position): \(message)" }
}

extension CSVError {
    static func strayQuote(at position: TextPosition) -> CSVError {
        CSVError(
            code: .strayQuote,
            message: "A quote is in a cell that doesn't begin with one; write such a cell as \"quoted \"\"so\"\"\".",
            position: position
        )
    }

    static func afterQuote(at position: TextPosition) -> CSVError {
        CSVError(
            code: .afterQuote,
            message:
                "A closing quote must be followed by a separator or the line's end; write a quote in a cell twice.",
            position: position
        )
    }

    static func unclosedQuote(at position: TextPosition) -> CSVError {
        CSVError(code: .unclosedQuote, message: "The quote that begins here isn't closed.", position: position)
    }

    static func invalidUTF8(at position: TextPosition) -> CSVError {
        CSVError(
            code: .invalidUTF8,
            message: "The cell that begins here isn't valid UTF-8.",
            position: position
        )
    }

    static func limitExceeded(_ what: String, limit: Int, at position: TextPosition) -> CSVError {
        CSVError(
            code: .limitExceeded,
            message: "The row has more than \(limit) \(what), the limit.",
            position: position
        )
    }
}
