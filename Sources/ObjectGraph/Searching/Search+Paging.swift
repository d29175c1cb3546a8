// SPDX-License-Identifier: Apache-2.0

// Paging by relevance: all pages use the same statistics.

import Predicates

extension FetchRequest {
    /// Whether the best match of a search comes first.
    public var isByRelevance: Bool { search?.isRanked == true && sortDescriptors.isEmpty }

    /// The number of values that determine a place in the order of the request.
    public var sortKeyCount: Int {
        guard isByRelevance, let search else { return keyedSortDescriptors.count }
        return search.query.wantedCount + 4
    }

    /// The request for the objects after a place in the order of relevance.
    func continuation(of search: Search, after keys: [Value]) throws(GraphError) -> FetchRequest {
        guard let (statistics, start) = search.place(keys) else { throw .wrongPlace(sortKeyCount) }
        var request = self
        request.search?.statistics = statistics
        request.search?.start = start
        request.fetchOffset = 0
        return request
    }

    /// The place of an object by relevance: the statistics, its score, and its ID.
    func relevanceKeys(of object: some KeyValueObject, _ search: Search) throws(GraphError) -> [Value] {
        guard let statistics = search.statistics else { throw .wrongPlace(sortKeyCount) }
        do {
            let place = try search.place(of: object, statistics)
            let numbers = [statistics.objects, statistics.words] + statistics.matches
            return numbers.map { .integer(Int64($0)) } + [.double(place.score), .reference(place.object)]
        } catch {
            throw .evaluation(error)
        }
    }
}

extension Search {
    /// The place that keys describe; nil if they aren't of this search.
    fileprivate func place(_ keys: [Value]) -> (SearchStatistics, SearchPosition)? {
        let numbers = keys.dropLast(2).compactMap { key -> Int? in
            guard case .integer(let number) = key, number >= 0, number < 1 << 53 else { return nil }
            return Int(number)
        }
        guard numbers.count == query.wantedCount + 2, keys.count == numbers.count + 2,
            case .double(let score) = keys[keys.count - 2], score.isFinite,
            case .reference(let object) = keys[keys.count - 1]
        else { return nil }
        let statistics = SearchStatistics(objects: numbers[0], words: numbers[1], matches: Array(numbers[2...]))
        return (statistics, SearchPosition(score: score, object: object))
    }
}

extension GraphError {
    fileprivate static func wrongPlace(_ count: Int) -> GraphError {
        GraphError(
            .invalidRequest,
            "A position in the order of relevance has \(count) values.",
            hint: "Use those that sortKeys(of:for:) returns for the same search."
        )
    }
}
