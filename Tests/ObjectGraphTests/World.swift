// SPDX-License-Identifier: Apache-2.0

// The fixture world: a small blog with every kind of relationship.

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates

/// A coordinator over a store in memory.
struct World {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("User") {
                    Attribute("name", .string).length(1...40)
                    Attribute("age", .int16).optional().in(0...150)
                    Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
                    Relationship("profile", toOne: "Profile", inverse: "user", deleteRule: .cascade).optional()
                    Relationship("friends", toMany: "User", inverse: "friends").optional()
                    Relationship("mentor", toOne: "User", inverse: "students").optional()
                    Relationship("students", toMany: "User", inverse: "mentor").optional()
                    UniquenessConstraint("name")
                }
                Entity("Admin", parent: "User") {
                    Attribute("level", .int32).default(1)
                }
                Entity("Profile") {
                    Attribute("text", .string).optional()
                    Attribute("draft", .string).optional().transient()
                    Relationship("user", toOne: "User", inverse: "profile").optional()
                }
                Entity("Post") {
                    Attribute("title", .string).default("Untitled")
                    Attribute("views", .int64).default(0)
                    Attribute("tagCount", .int64).optional().derived("tags.@count")
                    Relationship("author", toOne: "User", inverse: "posts").optional()
                    Relationship("tags", toMany: "Tag", inverse: "posts").optional()
                    Relationship("pages", toMany: "Page", inverse: "post", deleteRule: .cascade).optional().ordered()
                    Relationship("locks", toMany: "Lock", inverse: "post", deleteRule: .deny).optional()
                }
                Entity("Tag") {
                    Attribute("name", .string).optional()
                    Relationship("posts", toMany: "Post", inverse: "tags").optional()
                }
                Entity("Page") {
                    Attribute("number", .int64).default(0)
                    Relationship("post", toOne: "Post", inverse: "pages").optional()
                }
                Entity("Lock") {
                    Relationship("post", toOne: "Post", inverse: "locks").optional()
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }
}

extension ManagedObject {
    /// The objects of a relationship, by its name.
    func related(_ name: String) throws -> [ManagedObject] {
        let relationship = try relationship(name)
        if relationship.isToMany { return try objects(of: relationship) }
        return try object(of: relationship).map { [$0] } ?? []
    }

    func relate(_ name: String, _ other: ManagedObject?) throws {
        let relationship = try relationship(name)
        guard relationship.isToMany else { return try setObject(other, of: relationship) }
        if let other { try add(other, to: relationship) }
    }

    func unrelate(_ name: String, _ other: ManagedObject) throws {
        let relationship = try relationship(name)
        if relationship.isToMany { try remove(other, from: relationship) } else { try setObject(nil, of: relationship) }
    }

    func relationship(_ name: String) throws -> RelationshipDescription {
        guard let relationship = entity.relationship(named: name) else { throw Missing(name: name) }
        return relationship
    }

    struct Missing: Error {
        let name: String
    }
}
