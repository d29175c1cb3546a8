// SPDX-License-Identifier: Apache-2.0

// Counts of a search's terms in the texts of an object.

/// The number of occurrences of each term in some texts, and their number of words.
package struct SearchTally {
    private(set) var counts: [Int]
    package private(set) var words = 0

    package init(_ query: SearchQuery) { counts = Array(repeating: 0, count: query.terms.count) }

    /// Adds another folded text; phrases don't span texts.
    package mutating func add(_ text: Span<UInt8>, for query: SearchQuery) {
        guard !text.isEmpty else { return }
        words += 1
        for index in text.indices where text[index] == SearchWords.space { words += 1 }
        for (place, term) in query.terms.enumerated() { counts[place] += term.count(in: text) }
    }
}

extension SearchQuery.Term {
    /// The number of its occurrences in a text, at beginnings of words.
    fileprivate func count(in text: Span<UInt8>) -> Int {
        let pattern = pattern.span
        var count = 0
        var start = 0
        while text.count - start >= pattern.count {
            if stands(pattern, in: text, at: start) { count += 1 }
            while start < text.count, text[start] != SearchWords.space { start += 1 }
            start += 1
        }
        return count
    }

    private func stands(_ pattern: Span<UInt8>, in text: Span<UInt8>, at start: Int) -> Bool {
        for index in pattern.indices where pattern[index] != text[start + index] { return false }
        let end = start + pattern.count
        return isPrefix || end == text.count || text[end] == SearchWords.space
    }
}

extension SearchQuery {
    /// Whether the counts match the query.
    package func matches(_ tally: SearchTally) -> Bool { holds(root, tally) }

    private func holds(_ node: Node, _ tally: SearchTally) -> Bool {
        switch node {
        case .term(let place): tally.counts[place] > 0
        case .and(let parts): parts.allSatisfy { holds($0, tally) }
        case .or(let parts): parts.contains { holds($0, tally) }
        case .not(let part, let without): holds(part, tally) && !holds(without, tally)
        }
    }

    /// The counts of the terms that aren't excluded.
    func wantedCounts(_ tally: SearchTally) -> [Int] {
        zip(terms, tally.counts).filter(\.0.isWanted).map(\.1)
    }
}
