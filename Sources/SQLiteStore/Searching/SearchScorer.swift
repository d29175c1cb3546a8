// SPDX-License-Identifier: Apache-2.0

// How well rows match, as a function of SQL: the same sums as in memory, over the same words.

import ObjectGraph
import SQLiteDriver

/// A search as statements hand it to their functions.
struct SearchScorer {
    private let query: SearchQuery
    private let statistics: SearchStatistics?

    /// Reads what `argument` has written.
    init(_ argument: String) throws {
        let end = argument.unicodeScalars.firstIndex(of: "\n") ?? argument.endIndex
        query = try SearchQuery(String(argument[end...].unicodeScalars.dropFirst()))
        let numbers = argument[..<end].split(separator: " ").compactMap { Int($0) }
        statistics =
            numbers.count < 2
            ? nil : SearchStatistics(objects: numbers[0], words: numbers[1], matches: Array(numbers.dropFirst(2)))
    }

    /// The statistics, if there is an order by relevance, and the text of the query.
    static func argument(_ search: Search, isRanked: Bool) -> String {
        let statistics = isRanked ? search.statistics : nil
        let numbers = statistics.map { [$0.objects, $0.words] + $0.matches } ?? []
        return numbers.map { "\($0)" }.joined(separator: " ") + "\n" + search.query.text
    }

    /// The score of texts that are folded already; nil where they don't match.
    func score(folded arguments: borrowing FunctionArguments) -> SQLValue {
        var tally = SearchTally(query)
        for place in 1..<arguments.count where !arguments.isNull(place) {
            arguments.withUTF8(place) { tally.add($0, query) }
        }
        return score(tally)
    }

    func score(_ arguments: borrowing FunctionArguments) -> SQLValue {
        var tally = SearchTally(query)
        for place in 1..<arguments.count where !arguments.isNull(place) {
            tally.add(SearchWords.folded(arguments.string(place)).span, query)
        }
        return score(tally)
    }

    private func score(_ tally: SearchTally) -> SQLValue {
        guard query.matches(tally) else { return .null }
        return .real(statistics?.score(tally, query) ?? 0)
    }
}

extension Connection {
    /// `outcrop_score(search, words, …)` of what an index has, and `outcrop_search(search, text, …)` of texts as they are.
    func defineSearchFunctions() throws {
        try define(function: "outcrop_score", arguments: nil) { arguments in
            try arguments.cached(0) { try SearchScorer(arguments.string(0)) }.score(folded: arguments)
        }
        try define(function: "outcrop_search", arguments: nil) { arguments in
            try arguments.cached(0) { try SearchScorer(arguments.string(0)) }.score(arguments)
        }
    }
}
