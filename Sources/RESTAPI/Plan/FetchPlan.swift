// SPDX-License-Identifier: Apache-2.0

// A fetch of an entity's objects.

import HTTPMessage
import ObjectGraph
import Predicates

struct FetchPlan: Equatable, Sendable {
    /// The kind of result.
    enum Result: String, CaseIterable, Sendable {
        case objects
        case ids
        case count
        case dictionary
    }

    /// The set of objects that is fetched.
    enum Source: Equatable, Sendable {
        /// All objects of the entity.
        case all
        /// The members of a relationship, selected by the predicate.
        case members(of: ObjectLocation, RelationshipDescription)
        /// The members of an ordered relationship in its order.
        case ordered(of: ObjectLocation, RelationshipDescription)
        /// The members of a relationship without an inverse, in any order.
        case oneWay(of: ObjectLocation, RelationshipDescription)
        /// The result of a fetched property.
        case fetched(of: ObjectLocation, FetchedPropertyDescription)

        /// The owner of the relationship or fetched property.
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
    /// Restricts the fetch to the source's objects. For `.members`, it is included in `predicate` instead; `.ordered` has
    /// it if there is an inverse; `.oneWay` and `.fetched` get it from `resolvingSource`, which reads the stores.
    var membership: ObjectPredicate?
    var sortDescriptors: [ObjectSortDescriptor] = []
    /// Nil for no limit, which only counts and streams allow.
    var limit: Int?
    var offset = 0
    /// The position after the previous page.
    var cursor: Cursor?
    var includesSubentities = true
    var includesPendingChanges = true
    var selection = Selection.all
    var countsAll = false
    var result = Result.objects
    /// The format of the response. All except JSON are streamed, whatever the number of rows.
    var format = AnswerFormat.json
    /// With `result=dictionary`.
    var table: TablePlan?
    var isExplained = false
    /// The basis of links to other pages, or nil if there are none.
    var link: PageLink?
    var ifNoneMatch: EntityTagCondition?
    /// Whether the response has a tag that makes conditional requests possible.
    var isTagged = true
}

/// The request as repeated in links to its other pages.
struct PageLink: Equatable, Sendable {
    var path: String
    var items: [QueryItem]

    /// The link with a parameter instead of those that select a page.
    func page(_ name: String, _ value: String) -> String {
        let items = items.filter { $0.name != "cursor" && $0.name != "offset" } + [QueryItem(name: name, value: value)]
        return path + "?"
            + items.map { item in
                RequestTarget.encode(queryValue: item.name) + "=" + RequestTarget.encode(queryValue: item.value)
            }.joined(separator: "&")
    }
}
