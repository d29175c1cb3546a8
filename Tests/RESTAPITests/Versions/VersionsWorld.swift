// SPDX-License-Identifier: Apache-2.0

// Two versions of a model for tests: clients were built for the former one, and the present one is served.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

enum TwoVersions {
    static let former = Model(versionIdentifier: "1.0") {
        Entity("Author", userInfo: ["path": "authors"]) {
            Attribute("name", .string)
            Relationship("articles", toMany: "Article", inverse: "author").optional()
        }
        Entity("Article", userInfo: ["path": "articles"]) {
            Attribute("headline", .string).length(1...40)
            Attribute("views", .int32).default(0)
            Attribute("rating", .int16).default(3)
            Attribute("note", .string).optional()
            Attribute("cover", .binary).optional()
            Attribute("place", .composite("Place")).optional()
            Relationship("author", toOne: "Author", inverse: "articles").optional()
            Relationship("tags", toMany: "Tag", inverse: "articles").optional()
            FetchedProperty("others", of: "Article", predicate: "author == $FETCH_SOURCE.author")
        }
        Entity("Tag", userInfo: ["path": "tags"]) {
            Attribute("name", .string)
            Relationship("articles", toMany: "Article", inverse: "tags").optional()
            UniquenessConstraint("name")
        }
        FetchRequestTemplate("titled", entity: "Article", predicate: "headline BEGINSWITH $TEXT")
        Composite("Place") { Attribute("city", .string).optional() }
    }

    static let present = Model(versionIdentifier: "2.0") {
        Entity("Author", userInfo: ["path": "authors"]) {
            Attribute("name", .string)
            Attribute("email", .string).optional()
            Relationship("posts", toMany: "Post", inverse: "writer").optional().renamed(from: "articles")
        }
        Entity("Post", renamedFrom: "Article", userInfo: ["path": "posts"]) {
            Attribute("slug", .string).default("-")
            Attribute("title", .string).length(1...40).renamed(from: "headline")
            Attribute("views", .int32).default(0)
            Attribute("rating", .int16).optional()
            Attribute("note", .string).default("none")
            Attribute("image", .binary).optional().renamed(from: "cover")
            Attribute("place", .composite("Place")).optional()
            Relationship("writer", toOne: "Author", inverse: "posts").optional().renamed(from: "author")
            Relationship("topics", toMany: "Topic", inverse: "posts").optional().renamed(from: "tags")
            Relationship("reviews", toMany: "Review", inverse: "post", deleteRule: .cascade).optional()
            FetchedProperty("others", of: "Post", predicate: "writer == $FETCH_SOURCE.writer")
        }
        Entity("Topic", renamedFrom: "Tag", userInfo: ["path": "topics"]) {
            Attribute("label", .string).renamed(from: "name")
            Relationship("posts", toMany: "Post", inverse: "topics").optional().renamed(from: "articles")
            UniquenessConstraint("label")
        }
        Entity("Review", userInfo: ["path": "reviews"]) {
            Attribute("text", .string).optional()
            Relationship("post", toOne: "Post", inverse: "reviews").optional()
        }
        FetchRequestTemplate("titled", entity: "Post", predicate: "title BEGINSWITH $TEXT")
        Composite("Place") { Attribute("city", .string).optional() }
    }

    static let versions = [
        ModelVersion(name: "App 1", model: former), ModelVersion(name: "App 2", model: present),
    ]

    /// Requests of a client that was built for the former version.
    static let fields: HeaderFields = ["Accept-Model": "App 1"]

    static func each(_ body: (APIWorld) throws -> Void) throws {
        var options = APIOptions()
        options.modelVersions = versions
        try APIWorld.each(present, options: options, filling: fill, body)
    }

    /// Ann has written “Faults” and “Saving”, and Ben “Undo”.
    static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            let writers = try ["Ann", "Ben"].map { name in
                let author = try context.insert("Author")
                try author.setValue(.string(name), forKey: "name")
                return author
            }
            let topic = try context.insert("Topic")
            try topic.setValue("core", forKey: "label")
            for (number, title) in ["Faults", "Saving", "Undo"].enumerated() {
                let post = try context.insert("Post")
                try post.setValue(.string(title), forKey: "title")
                try post.setValue(.string("s\(number)"), forKey: "slug")
                try post.setValue(.integer(Int64(number * 10)), forKey: "views")
                try post.setObject(writers[number / 2], forKey: "writer")
                if number == 0 {
                    try post.setObjects([topic], forKey: "topics")
                    try post.setValue(.integer(5), forKey: "rating")
                    let review = try context.insert("Review")
                    try review.setValue("Good.", forKey: "text")
                    try review.setObject(post, forKey: "post")
                }
                try context.save()
            }
        }
    }
}

extension APIWorld {
    /// Sends a request of a client of the former version.
    func former(
        _ method: HTTPMethod,
        _ target: String,
        _ json: String? = nil,
        fields: HeaderFields = HeaderFields()
    ) throws -> Answer {
        var fields = fields
        fields["Accept-Model"] = "App 1"
        return try send(method, target, json, fields: fields)
    }

    /// The key of a post, which differs between stores.
    func key(_ title: String) throws -> String { String(try reference("Post", title).split(separator: "/")[1]) }

    /// The headlines that a client of the former version gets.
    func headlines(_ target: String) throws -> [String?] {
        let answer = try former(.get, target)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["items"]?.array).map { $0["headline"]?.string }
    }
}
