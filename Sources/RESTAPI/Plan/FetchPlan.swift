// SPDX-License-Identifier: Apache-2.0

// Fetching objects of an entity.

import HTTPMessage
import ObjectGraph
import Predicates

struct FetchPlan: Equatable, Sendable {
    /// What the answer holds.
    enum Result: String, CaseIterable, Sendable {
        case objects
        case ids
        case count
        case dictionary
    }

    /// Whose objects are fetched.
    enum Source: Equatable, Sendable {
        /// Those of the entity.
        case all
        /// The members of a relationship, which the predicate chooses.
        case members(of: ObjectLocation, RelationshipDescription)
        /// The members of a relationship in the order that it has.
        case ordered(of: ObjectLocation, RelationshipDescription)
        /// The members of a relationship that nothing leads back from, however they are asked for.
        case oneWay(of: ObjectLocation, RelationshipDescription)
        /// What a fetched property finds.
        case fetched(of: ObjectLocation, FetchedPropertyDescription)

        /// The object that they are asked of.
        var owner: ObjectLocation? {
            switch self {
            case .all: nil
            case .members(let owner, _), .ordered(let owner, _), .oneWay(let owner, _), .fetched(let owner, _): owner
            }
        }
    }

    var resource: Resource
    var source = Source.all
    var predicate: ObjectPredicate?
    var search: Search?
    /// What makes objects those of the source: of a relationship in its order where an inverse can say it, and of other sources where
    /// only the stores know it; nil until they were asked.
    var membership: ObjectPredicate?
    var sortDescriptors: [ObjectSortDescriptor] = []
    /// Nil where all are meant, which only numbers and streams are asked for.
    var limit: Int?
    var offset = 0
    /// Where the page before ended.
    var cursor: Cursor?
    var includesSubentities = true
    var includesPendingChanges = true
    var selection = Selection.all
    var countsAll = false
    var result = Result.objects
    /// What the answer is written as. All but JSON are streamed, however many rows there are.
    var format = AnswerFormat.json
    /// With `result=dictionary`.
    var table: TablePlan?
    var isExplained = false
    /// What links to other pages are made of; nil where there are none.
    var link: PageLink?
    var conditions: EntityTagCondition?
    /// Whether the answer is one that clients may ask for again with the tag that it has.
    var isTagged = true
}

/// The request as links to its other pages repeat it.
struct PageLink: Equatable, Sendable {
    var path: String
    var items: [QueryItem]

    /// The link with a parameter in the place of those that say which page it is.
    func page(_ name: String, _ value: String) -> String {
        let items = items.filter { $0.name != "cursor" && $0.name != "offset" } + [QueryItem(name: name, value: value)]
        return path + "?"
            + items.map { item in
                RequestTarget.encode(queryValue: item.name) + "=" + RequestTarget.encode(queryValue: item.value)
            }.joined(separator: "&")
    }
}
