// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Derived attributes")
struct DerivedAttributeTests {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Author") {
                    Attribute("name", .string).optional()
                    Attribute("plain", .string).optional().derived("canonical:(name)")
                    Attribute("postCount", .int32).optional().derived("posts.@count")
                    Attribute("views", .int64).optional().derived("posts.views.@sum")
                    Attribute("pay", .decimal).optional().derived("posts.pay.@sum")
                    UniquenessConstraint("plain")
                    Relationship("posts", toMany: "Post", inverse: "author")
                }
                Entity("Post") {
                    Attribute("title", .string).optional()
                    Attribute("views", .int64).default(0)
                    Attribute("pay", .decimal).optional()
                    Attribute("loud", .string).optional().derived("uppercase:(title)")
                    Attribute("quiet", .string).optional().derived("lowercase:(title)")
                    Attribute("saved", .date).optional().derived("now()")
                    Attribute("byline", .string).optional().derived("author.name")
                    Attribute("bylineCount", .int32).optional().derived("author.postCount")
                    Attribute("tagCount", .int64).optional().derived("tags.@count")
                    Relationship("author", toOne: "Author", inverse: "posts").optional()
                    Relationship("tags", toMany: "Tag", inverse: "posts")
                }
                Entity("Article", parent: "Post") {}
                Entity("Tag") {
                    Attribute("use", .int64).optional().derived("posts.@count")
                    Relationship("posts", toMany: "Post", inverse: "tags")
                }
            }
        )
    }

    let coordinator: PersistentStoreCoordinator
    let store: InMemoryStore

    init() throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        store = InMemoryStore(model: model)
        try coordinator.add(store)
        try coordinator.withContext { context in
            for name in ["Ann", "Böb"] { try context.insert("Author").setValue(.string(name), forKey: "name") }
            try context.save()
        }
    }

    @Test("text is folded when its row is saved, and the saving object has the new value at once")
    func text() throws {
        try coordinator.withContext { context in
            let post = try context.insert("Article")
            try post.setValue("Größe Ä", forKey: "title")
            try context.save()
            #expect(try post.value(forKey: "loud") == "GRÖSSE Ä")
            #expect(try post.value(forKey: "quiet") == "größe ä")
            try post.setValue("b", forKey: "title")
            try context.save()
            #expect(try post.value(forKey: "loud") == "B")
        }
        #expect(try values("Author", "plain") == ["ann", "bob"])
    }

    @Test("counts, sums and copies follow insertions, changes, moves and deletions")
    func aggregates() throws {
        try change { context, authors in
            for views in [3, 4] {
                let post = try context.insert(views == 3 ? "Post" : "Article")
                try post.setValue(.integer(Int64(views)), forKey: "views")
                try post.setValue(.decimal(Decimal(string: "0.1")!), forKey: "pay")
                try post.relate("author", authors[0])
            }
        }
        #expect(try values("Author", "postCount") == [2, 0])
        #expect(try values("Author", "views") == [7, 0])
        #expect(try values("Author", "pay") == [.decimal(Decimal(string: "0.2")!), .decimal(0)])
        #expect(try values("Post", "byline") == ["Ann", "Ann"])
        #expect(try values("Post", "bylineCount") == [2, 2])

        try change { context, authors in
            try posts(context)[0].setValue(10, forKey: "views")
            try authors[0].setValue("Anna", forKey: "name")
        }
        #expect(try values("Author", "views") == [14, 0])
        #expect(try values("Post", "byline") == ["Anna", "Anna"])

        try change { context, authors in try posts(context)[0].relate("author", authors[1]) }
        #expect(try values("Author", "postCount") == [1, 1])
        #expect(try values("Post", "byline") == ["Böb", "Anna"])
        #expect(try values("Post", "bylineCount") == [1, 1])

        try change { context, _ in context.delete(try posts(context)[0]) }
        #expect(try values("Author", "postCount") == [1, 0])
        #expect(try values("Author", "views") == [4, 0])

        try change { context, authors in context.delete(authors[0]) }
        #expect(try values("Post", "byline") == [.null])
        #expect(try values("Post", "bylineCount") == [.null])
    }

    @Test("derived counts on both sides of a many-to-many relationship follow its pairs")
    func pairs() throws {
        try change { context, _ in
            let (one, other) = (try context.insert("Post"), try context.insert("Post"))
            for post in [one, other] { try post.relate("tags", context.insert("Tag")) }
            try context.save()
            try one.relate("tags", #require(other.related("tags").first))
        }
        #expect(try values("Post", "tagCount") == [2, 1])
        #expect(try values("Tag", "use").map { "\($0)" }.sorted() == ["integer(1)", "integer(2)"])
        try change { context, _ in context.delete(try posts(context)[1]) }
        #expect(try values("Tag", "use") == [1, 1])
    }

    @Test("recomputing derived values alone changes neither an object's version nor the time of its last save")
    func versions() throws {
        try change { context, authors in try context.insert("Post").relate("author", authors[0]) }
        let (versions, saved) = (try versions("Post"), try values("Post", "saved"))
        #expect(saved != [.null])
        try coordinator.withContext { context in
            let mine = try posts(context)[0]
            try mine.setValue("mine", forKey: "title")
            try change { _, authors in try authors[0].setValue("Anna", forKey: "name") }
            #expect(try self.versions("Post") == versions)
            #expect(try values("Post", "saved") == saved)
            try context.save()
        }
        #expect(try values("Post", "byline") == ["Anna"])
        #expect(try self.versions("Post") == [2])
        #expect(try values("Post", "saved") != saved)
    }

    @Test("derived values with a uniqueness constraint are compared as derived")
    func uniqueness() throws {
        let error = #expect(throws: GraphError.self) {
            try change { context, _ in try context.insert("Author").setValue("ÄNN", forKey: "name") }
        }
        #expect(error?.code == .constraint)
        #expect(try values("Author", "plain") == ["ann", "bob"])
    }
}

extension DerivedAttributeTests {
    private func change(_ body: @Sendable (ManagedObjectContext, [ManagedObject]) throws -> Void) throws {
        try coordinator.withContext { context in
            try body(context, context.fetch(FetchRequest<ManagedObject>("Author")))
            try context.save()
        }
    }

    private func posts(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>("Post"))
    }

    /// The values in the store, in the order of insertion.
    private func values(_ entity: String, _ key: String) throws -> [Value] {
        try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>(entity)).map { try $0.value(forKey: key) }
        }
    }

    private func versions(_ entity: String) throws -> [Int64] {
        let entity = try #require(Self.model.get().entity(named: entity))
        let result = try store.fetch(StoreFetchRequest(entity: entity), at: nil)
        guard case .snapshots(let snapshots) = result else { return [] }
        return snapshots.map(\.version)
    }
}

extension ManagedObject {
    /// The objects of a relationship, by its name.
    fileprivate func related(_ name: String) throws -> [ManagedObject] {
        try objects(of: #require(entity.relationship(named: name)))
    }

    fileprivate func relate(_ name: String, _ other: ManagedObject) throws {
        let relationship = try #require(entity.relationship(named: name))
        if relationship.isToMany { try add(other, to: relationship) } else { try setObject(other, of: relationship) }
    }
}
