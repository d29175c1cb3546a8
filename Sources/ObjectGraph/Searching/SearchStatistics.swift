// SPDX-License-Identifier: Apache-2.0

// The statistics for relevance: the amount of text, and how common the query's terms are.

import Glibc

/// Statistics over all objects of a hierarchy that have words.
public struct SearchStatistics: Hashable, Sendable {
    /// The number of objects with words.
    public var objects: Int
    /// The total number of words.
    public var words: Int
    /// The number of objects that contain each term, without excluded terms, in order.
    public var matches: [Int]

    public init(objects: Int = 0, words: Int = 0, matches: [Int]) {
        self.objects = objects
        self.words = words
        self.matches = matches
    }
}

extension SearchStatistics {
    package init(_ query: SearchQuery) { self.init(matches: Array(repeating: 0, count: query.wantedCount)) }

    /// Statistics of no particular objects: all words are as common, and texts of twenty words are average.
    package static func alike(for query: SearchQuery) -> SearchStatistics {
        var statistics = SearchStatistics(query)
        statistics.objects = 100
        statistics.words = 2_000
        return statistics
    }

    /// Adds another object.
    package mutating func add(_ tally: SearchTally, for query: SearchQuery) {
        guard tally.words > 0 else { return }
        objects += 1
        words += tally.words
        for (place, count) in query.wantedCounts(tally).enumerated() where count > 0 { matches[place] += 1 }
    }

    /// Adds the statistics of another store.
    mutating func add(_ other: SearchStatistics) {
        objects += other.objects
        words += other.words
        for (place, count) in other.matches.enumerated() where matches.indices.contains(place) {
            matches[place] += count
        }
    }

    /// The relevance of an object, where more is better: BM25 as in FTS5, without its sign.
    package func score(_ tally: SearchTally, for query: SearchQuery) -> Double {
        let average = objects > 0 && words > 0 ? Double(words) / Double(objects) : 1
        let length = Double(tally.words) / average
        var score = 0.0
        for (count, matches) in zip(query.wantedCounts(tally), matches) {
            let rarity = log((Double(objects) - Double(matches) + 0.5) / (Double(matches) + 0.5))
            let frequency = Double(count)
            score +=
                (rarity > Self.leastRarity ? rarity : Self.leastRarity) * (frequency * (Self.k1 + 1))
                / (frequency + Self.k1 * (1 - Self.b + Self.b * length))
        }
        return score
    }

    private static var k1: Double { 1.2 }
    private static var b: Double { 0.75 }
    /// The weight of a term that is in more than half of all objects.
    private static var leastRarity: Double { 1e-6 }
}
