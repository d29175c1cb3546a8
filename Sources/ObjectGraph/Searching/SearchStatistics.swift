// SPDX-License-Identifier: Apache-2.0

// What relevance is measured by: how much text there is, and how common the terms of a query are in it.

import Glibc

/// Numbers over all objects of a hierarchy of entities that have words to be found.
public struct SearchStatistics: Hashable, Sendable {
    /// How many objects have words.
    public var objects: Int
    /// How many words they have together.
    public var words: Int
    /// In how many objects each of the query's terms is that are looked for, in their order.
    public var matches: [Int]

    public init(objects: Int = 0, words: Int = 0, matches: [Int]) {
        (self.objects, self.words, self.matches) = (objects, words, matches)
    }
}

extension SearchStatistics {
    package init(_ query: SearchQuery) { self.init(matches: Array(repeating: 0, count: query.wantedCount)) }

    /// Counts another object in.
    package mutating func add(_ tally: SearchTally, _ query: SearchQuery) {
        guard tally.words > 0 else { return }
        objects += 1
        words += tally.words
        for (place, count) in query.wantedCounts(tally).enumerated() where count > 0 { matches[place] += 1 }
    }

    /// Counts in what another store has.
    mutating func add(_ other: SearchStatistics) {
        objects += other.objects
        words += other.words
        for (place, count) in other.matches.enumerated() where matches.indices.contains(place) {
            matches[place] += count
        }
    }

    /// How well an object matches, the more the better: BM25 as FTS5 has it, without its sign.
    package func score(_ tally: SearchTally, _ query: SearchQuery) -> Double {
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
    /// What a term is worth that is in more than half of all objects.
    private static var leastRarity: Double { 1e-6 }
}
