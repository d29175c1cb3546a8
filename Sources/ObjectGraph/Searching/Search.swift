// SPDX-License-Identifier: Apache-2.0

// A full-text search as a part of a fetch request.

import FoundationEssentials
public import Predicates

/// Restricts a fetch to objects whose texts match a query. It searches the attributes that the model marks for the
/// search index.
///
///     var request = FetchRequest<Post>()
///     request.search = try Search("core dat*")
///     let posts = try context.fetch(request)   // the best match first
///
/// Without sort descriptors the best match comes first, and equal ones are ordered by ID.
public struct Search: Hashable, Sendable {
    public var query: SearchQuery
    /// The statistics for relevance; nil to compute them from the stores. Pages of one list share them, so that writes
    /// in between don't move objects between pages.
    public var statistics: SearchStatistics?
    /// Restricts the result to objects after this place, by relevance.
    public var start: SearchPosition?
    /// Whether relevance is computed at all.
    var isRanked = true
    /// The searched texts, by the names of a hierarchy's entities.
    var texts: [String: [SearchedText]] = [:]

    public init(_ query: SearchQuery) { self.query = query }

    public init(_ text: String) throws(SearchError) { self.init(try SearchQuery(text)) }
}

/// The place of an object in the order of relevance.
public struct SearchPosition: Hashable, Sendable {
    public var score: Double
    public var object: ObjectReference

    public init(score: Double, object: ObjectReference) {
        self.score = score
        self.object = object
    }

    /// Whether an object with a score comes after this place.
    func precedes(_ score: Double, _ object: Value) -> Bool {
        if score != self.score { return score < self.score }
        return Self.byID.compare(.reference(self.object), object) == .orderedAscending
    }

    static let byID = ObjectSortDescriptor("objectID")
}
