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
            "There is no word to look for.",
            at: position,
            hint: "Words are made of letters and digits."
        )
    }

    static func tooLong(_ limit: Int) -> SearchError {
        SearchError(.tooLarge, "A search has \(limit) characters at most.", at: limit)
    }

    static func tooManyTerms(_ limit: Int, at position: Int) -> SearchError {
        SearchError(.tooLarge, "A search has \(limit) words and phrases at most.", at: position)
    }

    static func tooDeep(_ limit: Int, at position: Int) -> SearchError {
        SearchError(.tooLarge, "A search has parentheses \(limit) levels deep at most.", at: position)
    }

    static func operatorAlone(_ name: String, at position: Int) -> SearchError {
        SearchError(
            .syntax,
            "“\(name)” has no word on one of its sides.",
            at: position,
            hint: "In quotation marks it is a word itself."
        )
    }

    static func onlyRuledOut(at position: Int) -> SearchError {
        SearchError(
            .syntax,
            "“NOT” takes from what other words find, and there are none.",
            at: position,
            hint: "Put a word before it: word NOT other."
        )
    }

    static func openPhrase(at position: Int) -> SearchError {
        SearchError(.syntax, "The quotation that begins here has no end.", at: position)
    }

    static func openGroup(at position: Int) -> SearchError {
        SearchError(.syntax, "The parenthesis that opens here is not closed.", at: position)
    }

    static func closedGroup(at position: Int) -> SearchError {
        SearchError(.syntax, "The parenthesis that closes here was not opened.", at: position)
    }
}
