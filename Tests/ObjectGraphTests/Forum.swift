// SPDX-License-Identifier: Apache-2.0

// The fixture world of fetches along relationships: of every kind, with an inverse and without.

import ObjectGraph
import ObjectModel
import Predicates

/// People, some of them admins, and what they write, in a store that counts its calls.
struct Forum {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Person") {
                    Attribute("name", .string).default("")
                    Attribute("age", .int64).default(0)
                    Relationship("posts", toMany: "Post", inverse: "author").optional()
                    Relationship("boss", toOne: "Person", inverse: "staff").optional()
                    Relationship("staff", toMany: "Person", inverse: "boss").optional()
                    Relationship("badge", toOne: "Badge", inverse: "owner").optional()
                }
                Entity("Admin", parent: "Person") {
                    Attribute("level", .int64).default(0)
                    Relationship("rooms", toMany: "Tag", inverse: "admin").optional()
                }
                Entity("Badge") {
                    Attribute("name", .string).default("")
                    Relationship("owner", toOne: "Person", inverse: "badge").optional()
                }
                Entity("Post") {
                    Attribute("name", .string).default("")
                    Attribute("views", .int64).default(0)
                    Relationship("author", toOne: "Person", inverse: "posts").optional()
                    Relationship("editor", toOne: "Person").optional()
                    Relationship("readers", toMany: "Person").optional()
                    Relationship("question", toOne: "Post", inverse: "answers").optional()
                    Relationship("answers", toMany: "Post", inverse: "question").optional()
                    Relationship("tags", toMany: "Tag", inverse: "posts").optional()
                    Relationship("pages", toMany: "Page", inverse: "post", deleteRule: .cascade).optional().ordered()
                }
                Entity("Tag") {
                    Attribute("name", .string).default("")
                    Relationship("posts", toMany: "Post", inverse: "tags").optional()
                    Relationship("admin", toOne: "Admin", inverse: "rooms").optional()
                }
                Entity("Page") {
                    Attribute("name", .string).default("")
                    Relationship("post", toOne: "Post", inverse: "pages").optional()
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: CountingStore

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        store = try CountingStore(TestStore.make(model))
        try coordinator.add(store)
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    /// Three people, Ada the boss of Bo and Cy, with four posts each, named by their authors and numbers; Bo's answer
    /// Ada's, Cy edits and reads Ada's. The first post of each has the tag “x”.
    func fill() throws {
        try run { context in
            let people = try ["Ada", "Bo", "Cy"].map { try context.insert("Person", named: $0) }
            let tag = try context.insert("Tag", named: "x")
            let posts = try people.map { person in
                try (1...4).map { number in
                    let post = try context.insert("Post", named: "\(try person.title())\(number)")
                    try post.relate("author", person)
                    if number == 1 { try post.relate("tags", tag) }
                    return post
                }
            }
            for person in people[1...] { try person.relate("boss", people[0]) }
            for (question, answer) in zip(posts[0], posts[1]) { try answer.relate("question", question) }
            for post in posts[0] {
                try post.relate("editor", people[2])
                try post.relate("readers", people[2])
            }
            try context.save()
        }
        _ = store.takeCalls()
    }
}

extension ManagedObjectContext {
    func insert(_ entity: String, named name: String) throws -> ManagedObject {
        let object = try insert(entity)
        try object.setValue(.string(name), forKey: "name")
        return object
    }

    func object(_ entity: String, named name: String) throws -> ManagedObject {
        let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("name == %@", name))
        guard let found = try fetch(request).first else { throw ManagedObject.Missing(name: name) }
        return found
    }
}
