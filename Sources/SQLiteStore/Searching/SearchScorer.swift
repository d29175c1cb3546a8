// SPDX-License-Identifier: Apache-2.0

// Scores rows in an SQL function: the same sums as in memory, over the same words.

import ObjectGraph
import SQLiteDriver

/// A search as it is passed to SQL functions.
struct SearchScorer {
    private let query: SearchQuery
    private let statistics: SearchStatistics?

    /// Decodes the result of `argument`.
    init(_ argument: String) throws {
        let end = argument.unicodeScalars.firstIndex(of: "\n") ?? argument.endIndex
        query = try SearchQuery(String(argument[end...].unicodeScalars.dropFirst()))
        let numbers = argument[..<end].split(separator: " ").compactMap { Int($0) }
        statistics =
            numbers.count < 2
            ? nil : SearchStatistics(objects: numbers[0], words: numbers[1], matches: Array(numbers.dropFirst(2)))
    }

    /// Encodes the query's text, and the statistics if results are sorted by relevance.
    static func argument(_ search: Search, isRanked: Bool) -> String {
        let statistics = isRanked ? search.statistics : nil
        let numbers = statistics.map { [$0.objects, $0.words] + $0.matches } ?? []
        return numbers.map { "\($0)" }.joined(separator: " ") + "\n" + search.query.text
    }

    /// The score of folded texts, or null if they don't match.
    func score(folded arguments: borrowing FunctionArguments) -> SQLValue {
        var tally = SearchTally(query)
        for place in 1..<arguments.count where !arguments.isNull(place) {
            arguments.withUTF8(place) { tally.add($0, for: query) }
        }
        return score(tally)
    }

    func score(_ arguments: borrowing FunctionArguments) -> SQLValue {
        var tally = SearchTally(query)
        for place in 1..<arguments.count where !arguments.isNull(place) {
            tally.add(SearchWords.folded(arguments.string(place)).span, for: query)
        }
        return score(tally)
    }

    private func score(_ tally: SearchTally) -> SQLValue {
        guard query.matches(tally) else { return .null }
        return .real(statistics?.score(tally, for: query) ?? 0)
    }
}

extension Connection {
    /// Defines `outcrop_score(search, words, …)` for folded words of an index and
    /// `outcrop_search(search, text, …)` for texts.
    func defineSearchFunctions() throws {
        try define(function: "outcrop_score", arguments: nil) { arguments in
            try arguments.cached(0) { try SearchScorer(arguments.string(0)) }.score(folded: arguments)
        }
        try define(function: "outcrop_search", arguments: nil) { arguments in
            try arguments.cached(0) { try SearchScorer(arguments.string(0)) }.score(arguments)
        }
    }
}
