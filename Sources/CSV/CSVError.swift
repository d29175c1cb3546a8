// SPDX-License-Identifier: Apache-2.0

// Errors of a CSV text.

package import SourceText

/// The reason why a text was refused as CSV.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Match this, never the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package static let strayQuote = Code(description: "strayQuote")
        package static let afterQuote = Code(description: "afterQuote")
        package static let unclosedQuote = Code(description: "unclosedQuote")
        package static let invalidUTF8 = Code(description: "invalidUTF8")
        package static let limitExceeded = Code(description: "limitExceeded")
    }

    package let code: Code
    /// One sentence in plain English.
    package let message: String
    package let position: TextPosition

    /// Whether only the current row is invalid; the reader continues with the next one.
    package var affectsOneRow: Bool { code == .invalidUTF8 }

    /// `line:column: message`, to be appended to a file name and a colon.
    package var description: String { "\(position): \(message)" }
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
