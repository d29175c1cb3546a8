// SPDX-License-Identifier: Apache-2.0

// A search query as a value.

/// The words of a search and how they are combined.
///
///     let query = try SearchQuery("core dat* OR \"object graph\" NOT swift")
///
/// Adjacent words must all occur, as with `AND` between them; `OR` has a lower precedence, and `NOT` excludes a word.
/// Quotation marks form a phrase, parentheses a group, and a star after a word or a phrase matches all words with that
/// prefix. The three operators are in capitals. A word with punctuation in it is the phrase of its parts.
public struct SearchQuery: Hashable, Sendable {
    /// A word or a phrase.
    struct Term: Hashable, Sendable {
        /// The folded words, separated by spaces.
        let pattern: [UInt8]
        /// Whether the last word is a prefix.
        let isPrefix: Bool
        /// Whether it must occur, rather than being excluded.
        let isWanted: Bool
    }

    indirect enum Node: Hashable, Sendable {
        /// By its index among the terms.
        case term(Int)
        case and([Node])
        case or([Node])
        case not(Node, without: Node)
    }

    /// The original text.
    public let text: String
    let terms: [Term]
    let root: Node

    public init(_ text: String) throws(SearchError) {
        var parser = try SearchParser(text)
        root = try parser.query()
        terms = parser.terms
        self.text = text
    }

    /// The number of terms that aren't excluded.
    var wantedCount: Int { terms.count(where: \.isWanted) }
}

extension SearchQuery {
    /// The query for FTS5, whose tokenizer only splits at spaces.
    package var fullTextExpression: String { expression(of: root) }

    /// The query of each term that isn't excluded.
    package var fullTextTerms: [String] { terms.filter(\.isWanted).map(expression) }

    private func expression(of node: Node) -> String {
        switch node {
        case .term(let place): expression(of: terms[place])
        case .and(let parts): "(" + parts.map(expression).joined(separator: " AND ") + ")"
        case .or(let parts): "(" + parts.map(expression).joined(separator: " OR ") + ")"
        case .not(let part, let without): "(\(expression(of: part)) NOT \(expression(of: without)))"
        }
    }

    private func expression(of term: Term) -> String {
        "\"\(String(decoding: term.pattern, as: UTF8.self))\"" + (term.isPrefix ? " *" : "")
    }
}
