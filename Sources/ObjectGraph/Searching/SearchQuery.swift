// SPDX-License-Identifier: Apache-2.0

// What is searched for, as a value.

/// The words of a search and how they are combined.
///
///     let query = try SearchQuery("core dat* OR \"object graph\" NOT swift")
///
/// Words beside each other must all be there, as with `AND` between them; `OR` binds less, and `NOT` takes away what its word
/// finds. Quotation marks make a phrase, parentheses a group, and a star behind a word or a phrase finds all words that begin so.
/// These three operators are in capitals. A word with punctuation in it is the phrase of its parts.
public struct SearchQuery: Hashable, Sendable {
    /// A word, or several that stand beside each other.
    struct Term: Hashable, Sendable {
        /// The folded words with a space between each two.
        let pattern: [UInt8]
        /// Whether the last word may go on.
        let isPrefix: Bool
        /// Whether it is looked for, and not ruled out.
        let isWanted: Bool
    }

    indirect enum Node: Hashable, Sendable {
        /// By its place among the terms.
        case term(Int)
        case and([Node])
        case or([Node])
        case not(Node, without: Node)
    }

    /// As it was written.
    public let text: String
    let terms: [Term]
    let root: Node

    public init(_ text: String) throws(SearchError) {
        var parser = try SearchParser(text)
        root = try parser.query()
        terms = parser.terms
        self.text = text
    }

    /// The number of terms that are looked for.
    var wantedCount: Int { terms.count(where: \.isWanted) }
}

extension SearchQuery {
    /// The query for FTS5, whose tokenizer has nothing but spaces to split at.
    package var fullTextExpression: String { expression(of: root) }

    /// The same of each term that is looked for.
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
