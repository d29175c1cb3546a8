// SPDX-License-Identifier: Apache-2.0

// A store with a small model, for statements that tests compare whole.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport

@testable import SQLiteStore

struct Blog {
    let store: SQLiteStore
    let model: ManagedObjectModel

    static let now = Date(timeIntervalSinceReferenceDate: 0)

    static func withStore<T>(
        _ options: SQLiteStoreOptions = SQLiteStoreOptions(),
        _ body: (Blog) throws -> T
    ) throws -> T {
        try Checkout.withFolder { folder in
            let model = try ManagedObjectModel(model)
            return try body(
                Blog(store: SQLiteStore(path: folder + "/Blog.sqlite", model: model, options: options), model: model)
            )
        }
    }

    private static let model = Model {
        Entity("Post") {
            Attribute("title", .string).optional()
            Attribute("plainTitle", .string).optional().derived("canonical:(title)")
            Attribute("views", .int64).optional()
            Attribute("score", .double).optional()
            Attribute("price", .decimal).optional()
            Attribute("isDraft", .bool).optional()
            Attribute("createdAt", .date).optional()
            Attribute("payload", .transformable(transformer: nil)).optional()
            Relationship("author", toOne: "Person", inverse: "posts").optional()
            Relationship("comments", toMany: "Comment", inverse: "post")
            Relationship("tags", toMany: "Tag", inverse: "posts").ordered()
            FetchIndex("byTitle", .ascending("title"))
            FetchIndex("byPlainTitle", .ascending("plainTitle"))
            FetchIndex("byCreatedAt", .ascending("createdAt"))
            FetchIndex("byPrice", .ascending("price"))
            FetchIndex("byScore", .ascending("score"))
        }
        Entity("Person") {
            Attribute("name", .string).optional()
            Attribute("age", .int16).optional()
            Relationship("posts", toMany: "Post", inverse: "author")
            Relationship("friends", toMany: "Person", inverse: "friends")
            FetchIndex("byName", .ascending("name"))
        }
        Entity("Editor", parent: "Person") {
            Attribute("desk", .string).optional()
        }
        Entity("Comment") {
            Attribute("text", .string).optional()
            Attribute("likes", .int32).optional()
            Relationship("post", toOne: "Post", inverse: "comments").optional()
        }
        Entity("Tag") {
            Attribute("name", .string).optional()
            Relationship("posts", toMany: "Post", inverse: "tags")
            FetchIndex("byName", .ascending("name"))
        }
    }

    func entity(_ name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw CocoaError(.keyValueValidation) }
        return entity
    }

    func request(_ entity: String, _ predicate: String? = nil, sort: String? = nil) throws -> StoreFetchRequest {
        StoreFetchRequest(
            entity: try self.entity(entity),
            predicate: try predicate.map { try ObjectPredicate($0) },
            sortDescriptors: try sort.map { try ObjectSortDescriptor.list(parsing: $0) } ?? []
        )
    }

    func plan(_ request: StoreFetchRequest) throws -> SQLFetchPlan {
        guard var planner = FetchPlanner(request, store.tables, now: Self.now) else {
            throw CocoaError(.keyValueValidation)
        }
        return planner.plan()
    }

    /// The SQL of a predicate on an entity, after the table name, with bound values in place of the question marks.
    func condition(_ entity: String, _ predicate: String) throws -> String {
        let statement = try plan(counting(entity, predicate)).statement
        let parts = statement.text.split(separator: "?", omittingEmptySubsequences: false)
        let values = statement.bindings.map { SQL.literal($0).text } + [""]
        guard parts.count == values.count else { throw CocoaError(.keyValueValidation) }
        let written = zip(parts, values).map { $0 + $1 }.joined()
        return String(written.split(separator: " AS t0", maxSplits: 1)[1].drop { $0 == " " })
    }

    func counting(_ entity: String, _ predicate: String? = nil) throws -> StoreFetchRequest {
        var request = try request(entity, predicate)
        request.kind = .count
        return request
    }

    /// SQLite's query plan for a fetch.
    func steps(_ request: StoreFetchRequest) throws -> [String] { try store.explain(.fetch(request)).queryPlan }
}
