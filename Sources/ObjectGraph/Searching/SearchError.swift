// SPDX-License-Identifier: Apache-2.0

// Errors in the text of a search.

/// An error in the text of a search, with its position.
public struct SearchError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The search has no words.
        public static let empty = Code(rawValue: "empty")
        /// An operator, a parenthesis or a quotation mark is misplaced.
        public static let syntax = Code(rawValue: "syntax")
        /// The text is too long, too deeply nested, or has too many terms.
        public static let tooLarge = Code(rawValue: "tooLarge")
    }

    public let code: Code
    public let message: String
    /// From 0, in Unicode scalars.
    public let position: Int
    public let hint: String?

    init(_ code: Code, _ message: String, at position: Int, hint: String? = nil) {
        self.code = code
        self.message = message
        self.position = position
        self.hint = hint
    }

    public var description: String { [message, hint].compactMap(\.self).joined(separator: " ") }
}

extension SearchError {
    static func empty(at position: Int) -> SearchError {
        SearchError(
            .empty,
            "The search has no words.",
            at: position,
            hint: "Words consist of letters and digits."
        )
    }

    static func tooLong(_ limit: Int) -> SearchError {
        SearchError(.tooLarge, "A search can have at most \(limit) characters.", at: limit)
    }

    static func tooManyTerms(_ limit: Int, at position: Int) -> SearchError {
        SearchError(.tooLarge, "A search can have at most \(limit) words and phrases.", at: position)
    }

    static func tooDeep(_ limit: Int, at position: Int) -> SearchError {
        SearchError(.tooLarge, "Parentheses can be nested at most \(limit) levels deep.", at: position)
    }

    static func operatorAlone(_ name: String, at position: Int) -> SearchError {
        SearchError(
            .syntax,
            "“\(name)” lacks a word on one side.",
            at: position,
            hint: "To search for the word itself, put it in quotation marks."
        )
    }

    static func onlyRuledOut(at position: Int) -> SearchError {
        SearchError(
            .syntax,
            "“NOT” excludes results of other words, but there are none.",
            at: position,
            hint: "Put a word before it: word NOT other."
        )
    }

    static func openPhrase(at position: Int) -> SearchError {
        SearchError(.syntax, "The quotation that begins here isn't closed.", at: position)
    }

    static func openGroup(at position: Int) -> SearchError {
        SearchError(.syntax, "The parenthesis that opens here isn't closed.", at: position)
    }

    static func closedGroup(at position: Int) -> SearchError {
        SearchError(.syntax, "The parenthesis that closes here wasn't opened.", at: position)
    }
}
