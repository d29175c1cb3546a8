// SPDX-License-Identifier: Apache-2.0

// What of a search is in the texts of an object.

/// How often each term of a query stands in some texts, and how many words they have.
package struct SearchTally {
    private(set) var counts: [Int]
    package private(set) var words = 0

    package init(_ query: SearchQuery) { counts = Array(repeating: 0, count: query.terms.count) }

    /// Counts in another text, which is folded already; no phrase goes from one text into another.
    package mutating func add(_ text: Span<UInt8>, _ query: SearchQuery) {
        guard !text.isEmpty else { return }
        words += 1
        for index in text.indices where text[index] == SearchWords.space { words += 1 }
        for (place, term) in query.terms.enumerated() { counts[place] += term.count(in: text) }
    }
}

extension SearchQuery.Term {
    /// How often it stands in a text, from the beginnings of words on.
    fileprivate func count(in text: Span<UInt8>) -> Int {
        let pattern = pattern.span
        var (count, start) = (0, 0)
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
    /// Whether what was counted is what is searched for.
    package func matches(_ tally: SearchTally) -> Bool { holds(root, tally) }

    private func holds(_ node: Node, _ tally: SearchTally) -> Bool {
        switch node {
        case .term(let place): tally.counts[place] > 0
        case .and(let parts): parts.allSatisfy { holds($0, tally) }
        case .or(let parts): parts.contains { holds($0, tally) }
        case .not(let part, let without): holds(part, tally) && !holds(without, tally)
        }
    }

    /// How often the terms stand there that are looked for.
    func wantedCounts(_ tally: SearchTally) -> [Int] {
        zip(terms, tally.counts).filter(\.0.isWanted).map(\.1)
    }
}
