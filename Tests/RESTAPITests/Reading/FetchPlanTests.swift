// SPDX-License-Identifier: Apache-2.0

// Plans: requests as values, before any store is read.

import AtomicStores
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Fetch plans")
struct FetchPlanTests {
    private let api: API
    private let store: UUID

    init() throws {
        let model = try ManagedObjectModel(Blog.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        let memory = InMemoryStore(model: model)
        try coordinator.add(memory)
        store = memory.identifier
        api = try API(coordinator)
    }

    private func plan(_ target: String) throws -> FetchPlan {
        guard case .fetch(let plan) = try api.plan(api.parsed(HTTPRequest(.get, target))) else {
            throw Problem(.internal, "no fetch")
        }
        return plan
    }

    @Test("equal requests have equal plans, regardless of the order of parameters")
    func equality() throws {
        var (one, other) = (try plan("/api/posts?limit=3&sort=title"), try plan("/api/Post?sort=title&limit=3"))
        #expect(one != other)
        (one.link, other.link) = (nil, nil)
        #expect(one == other)
        #expect(try plan("/api/posts?limit=3") != plan("/api/posts?limit=4"))
    }

    @Test("a plan has the API's defaults")
    func defaults() throws {
        let plan = try plan("/api/posts")
        #expect(plan.limit == 50)
        #expect(plan.offset == 0)
        #expect(plan.predicate == nil)
        #expect(plan.selection == .all)
        #expect(plan.result == .objects)
        #expect(plan.includesSubentities && plan.includesPendingChanges && !plan.countsAll && !plan.isExplained)
        #expect(plan.source == .all)
    }

    @Test(
        "a plan's predicate has the model's names and arguments of the right types",
        arguments: [
            ("where=__hidden+%3D%3D+nil", "_hidden == nil"),
            ("where=_id+%3D%3D+nil", "objectID == nil"),
            ("where=views+%3E+%25@&arg=10", "views > 10"),
            ("where=views+%3E+%25@&arg=1.5", "views > 1.5"),
            ("where=title+%3D%3D+%25@&arg=10", "title == \"10\""),
            ("where=price+%3D%3D+%25@&arg=10.50", "price == CAST(\"10.5\", \"NSDecimalNumber\")"),
            ("where=published+%3D%3D+%25@&arg=1", "published == YES"),
            ("where=%25K+IN+%25@&arg=views&arg=[1,2]", "views IN {1, 2}"),
            ("where=views+IN+%7B%25@,+%25@%7D&arg=1&arg=2", "views IN {1, 2}"),
            ("published=true&views=1&views=2", "published == YES AND (views == 1 OR views == 2)"),
            ("tags.name=core", "ANY tags.name == \"core\""),
            ("price=", "price == nil"),
            ("tags=", "tags.@count == 0"),
        ]
    )
    func predicates(query: String, text: String) throws {
        #expect(try plan("/api/posts?\(query)").predicate?.description == text)
    }

    @Test("a reference to a parent entity matches all its possible entities")
    func kinds() throws {
        let (user, group) = ("x-coredata://\(store.uuidString)/User/p7", "x-coredata://\(store.uuidString)/Group/p7")
        let both = Value.array([user, group].map { .reference(ObjectReference(uri: $0)) })
        #expect(try plan("/api/Contact?_id=Contact/7").predicate == .comparing(.evaluatedObject, .in, .constant(both)))
        let author = try plan("/api/posts?author=Contact/7").predicate
        #expect(author == .comparing(.keyPath("author"), .equal, .constant(.reference(ObjectReference(uri: user)))))
    }

    @Test("a plan finds the members of a relationship through its inverse")
    func members() throws {
        let posts = try plan("/api/users/7/posts?views=1")
        let user = Value.reference(ObjectReference(uri: "x-coredata://\(store.uuidString)/User/p7"))
        #expect(
            posts.predicate
                == .and([
                    .comparing(.keyPath("author"), .equal, .constant(user)),
                    .comparing(.keyPath("views"), .equal, .constant(1)),
                ])
        )
        guard case .members(let owner, let relationship) = posts.source else {
            Issue.record("\(posts.source)")
            return
        }
        #expect(owner.key == "7")
        #expect(relationship.name == "posts")
        guard case .ordered = try plan("/api/posts/7/pages").source,
            case .members = try plan("/api/posts/7/pages?sort=text").source,
            case .fetched = try plan("/api/posts/7/others").source
        else {
            Issue.record("sources")
            return
        }
    }

    @Test("select and include determine the shown and embedded properties")
    func selections() throws {
        let resource = try #require(api.catalogue.resource(named: "posts"))
        let users = try #require(api.catalogue.resource(named: "users"))
        let (author, tags) = (
            try #require(resource.property(named: "author")), try #require(resource.property(named: "tags"))
        )
        let (title, name) = (
            try #require(resource.property(named: "title")), try #require(users.property(named: "name"))
        )
        #expect(
            try plan("/api/posts?select=title,author.name,tags").selection
                == Selection(
                    properties: [title, author, tags],
                    embedded: [
                        Selection.Embedding(property: author, selection: Selection(properties: [name])),
                        Selection.Embedding(property: tags),
                    ]
                )
        )
        #expect(
            try plan("/api/posts?include=tags(limit=2,sort=-name)").selection
                == Selection(
                    embedded: [
                        Selection.Embedding(
                            property: tags,
                            selection: .all,
                            isIncluded: true,
                            options: Selection.Options(
                                sortDescriptors: [ObjectSortDescriptor("name", ascending: false)],
                                limit: 2
                            )
                        )
                    ]
                )
        )
        #expect(try plan("/api/posts?include=author,author").selection == plan("/api/posts?include=author").selection)
    }

    @Test("a plan knows the entities that it reads")
    func entities() throws {
        func names(_ target: String) throws -> String {
            let read = EntityDependencies(try plan(target), in: api.catalogue)
            return read.indices.map { api.catalogue.model.entities[$0].name }.sorted().joined(separator: " ")
        }
        #expect(try names("/api/posts") == "Post")
        #expect(try names("/api/Contact") == "Contact Group User")
        #expect(try names("/api/posts?author.name=x") == "Post User")
        #expect(try names("/api/posts?include=author.groups,tags") == "Group Post Tag User")
        #expect(try names("/api/posts/1/others") == "Post User")
        #expect(try names("/api/users/1/posts?sort=pages.@count") == "Page Post User")
        #expect(
            try names("/api/posts?where=SUBQUERY(comments,$c,$c.author.name==nil).@count==0") == "Comment Post User"
        )
        #expect(try EntityDependencies(plan("/api/posts?where=createdAt%3Cnow()"), in: api.catalogue).isVolatile)
    }

    @Test("a cursor is read back as written, and is invalid for another list")
    func cursors() throws {
        let cursor = Cursor(keys: [
            .null, .bool(true), .integer(.min), .double(-0.1), .decimal(Decimal(string: "12.345") ?? 0),
            .string("é\"\u{0}"),
            .uri("a:b"), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .uuid(store), .data(Data([0, 255])),
            .reference(ObjectReference(uri: "x-coredata://a/B/p1")),
        ])
        let text = cursor.text(of: "list")
        #expect(Cursor(text, of: "list") == cursor)
        #expect(Cursor(text, of: "List") == nil)
        #expect(Cursor(String(text.dropLast()), of: "list") == nil)
        #expect(Cursor("", of: "list") == nil)
        #expect(text.utf8.allSatisfy { $0 > 0x2C && $0 != UInt8(ascii: "=") && $0 < 0x7B })
    }
}
