// SPDX-License-Identifier: Apache-2.0

// A search as a part of a fetch request.

import FoundationEssentials
public import Predicates

/// Only objects are fetched in whose texts a query finds something: in the attributes that the model marks for the search index.
///
///     var request = FetchRequest<Post>()
///     request.search = try Search("core dat*")
///     let posts = try context.fetch(request)   // the best match first
///
/// Without sort descriptors the best match comes first, and of equal ones the object with the lesser ID.
public struct Search: Hashable, Sendable {
    public var query: SearchQuery
    /// What relevance is measured by. It is asked of the stores where it isn't given; pages of one list have the same, so that what
    /// others write between them moves no object from one to another.
    public var statistics: SearchStatistics?
    /// Only objects behind this place are wanted, by relevance.
    public var start: SearchPlace?
    /// Whether there is an order by relevance at all.
    var isRanked = true
    /// Where the texts are, by the names of the entities of a hierarchy.
    var texts: [String: [SearchedText]] = [:]

    public init(_ query: SearchQuery) { self.query = query }

    public init(_ text: String) throws(SearchError) { self.init(try SearchQuery(text)) }
}

/// Where an object stands by relevance.
public struct SearchPlace: Hashable, Sendable {
    public var score: Double
    public var object: ObjectReference

    public init(score: Double, object: ObjectReference) { (self.score, self.object) = (score, object) }

    /// Whether an object of a score comes behind this one.
    func precedes(_ score: Double, _ object: Value) -> Bool {
        if score != self.score { return score < self.score }
        return Self.byID.compare(.reference(self.object), object) == .orderedAscending
    }

    static let byID = ObjectSortDescriptor("objectID")
}
