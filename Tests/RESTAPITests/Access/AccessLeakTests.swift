// SPDX-License-Identifier: Apache-2.0

// What answers could tell besides the objects that they show.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import RESTAPI

@Suite("What answers tell beside objects, under access rules")
struct AccessLeakTests {
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            // Readable by members, unlike its author.
            try world.run(
                AccessStep(
                    "editor",
                    .patch,
                    "/api/{Post Saving}",
                    #"{"author": "{User Cem}", "rating": 4}"#,
                    answer: 200
                )
            )
            try body(world)
        }
    }

    @Test(
        "groups have null where they lead to what can't be read",
        arguments: [
            ("group=author&aggregate=n:count(_id)&sort=-n", #"[["author",1],["null",1],["other",1]]"#),
            ("group=author.name&aggregate=n:count(_id)&sort=author.name", #"null,1 Anna,1 Bea,2"#),
            ("group=author.name&aggregate=n:count(_id)&having=author.name=='Cem'", ""),
            ("group=author.name&aggregate=n:count(_id)&having=author.name==nil", "null,1"),
            ("group=published&aggregate=n:countDistinct(author.name)&sort=published", "false,1 true,2"),
            ("aggregate=n:countDistinct(author)", "2"),
            ("aggregate=n:max(author.name)", "Bea"),
            ("select=author.name&distinct=true&sort=author.name", "null Anna Bea"),
        ]
    )
    func groups(_ query: String, _ rows: String) throws {
        try each { world throws in
            let answer = try world.send(as: Self.bea, .get, "/api/posts?result=dictionary&\(query)")
            #expect(answer.status == 200, "\(answer.text)")
            let cem = try world.reference("User", "Cem")
            #expect(!answer.text.contains("Cem") && !answer.text.contains(cem))
            guard !query.hasPrefix("group=author&") else { return }
            let shown = answer["items"]?.array?.map { row in
                (row.object?.members ?? []).map { $0.value.string ?? $0.value.serialized() }.joined(separator: ",")
            }
            #expect(shown?.joined(separator: " ") == rows, "\(query): \(answer.text)")
        }
    }

    @Test("a path of several to-many relationships has only what can be read")
    func nestedMembers() throws {
        try each { world throws in
            // Cem's comment is on a post that only Anna and editors see, and comments are seen with published posts.
            for target in [
                "/api/users?where=groups.members.posts.tags.@count > 6",
                "/api/users?where=posts.pages.@max.text == 'two'",
                "/api/users?where=posts.pages.@count == 3", "/api/users?where='two' IN posts.pages.text",
                "/api/users?where=ANY posts.tags.name == 'data'", "/api/users?where=posts.@sum.tags.@count > 100",
            ] {
                let answer = try world.send(as: Self.bea, .get, target)
                let isRefused = answer.status == 400 && answer.text.contains("operator")
                #expect(isRefused || answer["items"]?.array?.isEmpty == true, "\(target): \(answer.text)")
            }
        }
    }

    @Test("lists of a superentity have what the rules of its subentities permit")
    func superentities() throws {
        try each { world throws in
            #expect(try world.list(as: Self.anna, "/api/Contact?sort=name", "name") == ["Anna", "Bea", "Writers"])
            #expect(try world.send(as: Self.anna, .get, "/api/Contact?result=count")["count"] == 3)
            #expect(
                try world.list(as: Self.anna, "/api/Contact?where=name > 'B'&sort=name", "name") == ["Bea", "Writers"]
            )
            #expect(try world.send(as: nil, .get, "/api/Contact").status == 404)
        }
    }

    @Test(
        "no expression reads a property that can't be read",
        arguments: [
            "TERNARY(1 == 2, extra, author).email == 'anna@example.org'",
            "TERNARY(1 == 2, extra, author).groups.name == 'x'",
            "ANY {extra, author}.email == 'anna@example.org'",
            "{extra, author}[1].email == 'anna@example.org'",
            "author.posts.@max.rating > 1", "author.posts[0].rating > 1", "author.posts.@unionOfObjects.rating > 1",
            "SUBQUERY(author.posts, $p, $p.rating > 1).@count > 0", "ANY author.posts.rating > 1",
            "noindex:(author).email == 'x'", "author.posts.@distinctUnionOfObjects.rating.@count > 0",
            "TERNARY(1 == 2, extra, TERNARY(1 == 2, extra, author)).email BEGINSWITH 'a'",
            "TERNARY(1 == 2, uuid, author).email BEGINSWITH 'a'",
            "TERNARY(1 == 2, nil, author).email BEGINSWITH 'a'",
            "mode:({author}).email BEGINSWITH 'a'", "max:({author, author}).email BEGINSWITH 'a'",
            "SUBQUERY({extra, author}, $x, $x.email BEGINSWITH 'a').@count > 0",
            "extra.@unionOfObjects.email == 'a'", "FUNCTION(author, 'email') == 'a'",
            "(author UNION extra).email == 'a'", "ANY (extra UNION author.posts).rating > 1",
        ]
    )
    func expressions(_ text: String) throws {
        try each { world throws in
            _ = try world.send(as: "editor", .patch, "/api/" + world.reference("Post", "Merging"), #"{"rating": 9}"#)
            let answer = try world.send(as: Self.anna, .get, "/api/posts?where=" + text.replacing("+", with: "%2B"))
            #expect(answer.status == 400 || answer["items"]?.array?.isEmpty == true, "\(text): \(answer.text)")
        }
    }

    @Test("variables of requests don't meet those of rules", arguments: ["$t", "$·0", "$x0", "$of"])
    func variables(_ variable: String) throws {
        let rules = AccessWritingTests.blog.replacing(
            #""read": {"reader": "name != 'data'", "editor": true}"#,
            with:
                #""read": {"reader": "SUBQUERY(posts, \#(variable), \#(variable).published == YES AND name != 'data').@count > 0", "editor": true}"#
        )
        try APIWorld.each(access: rules) { world throws in
            let target = "/api/posts?sort=title&where=SUBQUERY(tags, \(variable), \(variable).name != '').@count > 0"
            #expect(try world.list(as: nil, target) == ["Saving"])
            let nested =
                "/api/posts?sort=title&where=SUBQUERY(tags, \(variable), ANY \(variable).posts.tags.name == \(variable).name).@count > 0"
            #expect(try world.list(as: nil, nested) == ["Saving"])
        }
    }

    @Test("names that an identity doesn't know aren't suggested or described")
    func names() throws {
        try each { world throws in
            try world.run([
                AccessStep(Self.anna, .get, "/api/posts?where=ratin > 1", answer: 400, hiding: ["rating"]),
                AccessStep(Self.anna, .get, "/api/posts?sort=ratin", answer: 400, hiding: ["rating"]),
                AccessStep(Self.anna, .get, "/api/posts?ratin=1", answer: 400, hiding: ["rating"]),
                AccessStep(Self.anna, .get, "/api/posts?select=ratin", answer: 400, hiding: ["rating"]),
                AccessStep(Self.anna, .get, "/api/{Post Undo}/ratin", answer: 404, hiding: ["rating"]),
                AccessStep(Self.anna, .get, "/api/{Post Undo}/rating", answer: 404, hiding: ["binary"]),
                AccessStep(Self.anna, .patch, "/api/{Post Undo}", #"{"ratin": 1}"#, answer: 422, hiding: ["rating"]),
                AccessStep(nil, .get, "/api/user", answer: 404, hiding: ["users", "User"]),
                AccessStep(nil, .get, "/api/users/1", answer: 404, showing: ["There is no entity"]),
                AccessStep(nil, .get, "/api/Contact/1", answer: 404, showing: ["There is no entity"]),
                AccessStep(nil, .get, "/api/posts?where=autho == nil", answer: 400, hiding: ["“author”"]),
                AccessStep(
                    nil,
                    .get,
                    "/api/model",
                    answer: 200,
                    hiding: ["\"author\"", "email", "Address", "zip", "others"]
                ),
                AccessStep(
                    nil,
                    .get,
                    "/openapi.json",
                    answer: 200,
                    hiding: ["email", "Address", "zip", "others", "byAuthor"]
                ),
                AccessStep(nil, .get, "/schemas/Post", answer: 200, hiding: ["\"author\"", "rating", "others"]),
                AccessStep(nil, .get, "/schemas/User", answer: 404, hiding: ["email"]),
                AccessStep(
                    nil,
                    .get,
                    "/api/queries",
                    answer: 200,
                    showing: ["popular"],
                    hiding: ["byAuthor", "author."]
                ),
                AccessStep(nil, .get, "/api/queries/byAuthor?NAME=Anna", answer: 404, hiding: ["author."]),
                AccessStep(nil, .get, "/api/queries/popular?VIEWS=0&result=count", answer: 200, showing: ["3"]),
                AccessStep(Self.bea, .get, "/api/queries/byAuthor?NAME=Cem", answer: 200, showing: [#""items":[]"#]),
                AccessStep(nil, .get, "/api/{Post Contexts}/others", answer: 404),
                AccessStep(nil, .get, "/api", answer: 200, hiding: ["User", "uuid", "byAuthor"]),
                AccessStep(
                    nil,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"insert": "Use"}]}"#,
                    answer: 422,
                    hiding: ["User"]
                ),
                AccessStep(nil, .get, "/api/{Post Faults}", answer: 404),
                AccessStep(nil, .head, "/api/{Post Faults}", answer: 404),
                AccessStep(nil, .head, "/api/{Post Contexts}", answer: 200, hiding: ["\"author\""]),
            ])
        }
    }

    @Test("a fetched property has only what can be read")
    func fetchedProperties() throws {
        try each { world throws in
            #expect(try world.list(as: Self.bea, "/api/{Post Élan}/others".filled(in: world)) == ["Merging"])
            #expect(try world.list(as: Self.publisher, "/api/{Post Saving}/others".filled(in: world)) == [])
            #expect(try world.list(as: Self.bea, "/api/{Post Contexts}/others".filled(in: world)) == [])
        }
    }

    private static let publisher = "publisher bea@example.org"

    @Test("an object's tag changes when a reference is hidden, and has nothing of hidden values")
    func tags() throws {
        try each { world throws in
            let target = "/api/" + (try world.reference("Post", "Contexts"))
            let first = try world.send(as: Self.bea, .get, target)
            #expect(first["author"]?.string != nil)
            let tag = try #require(first.fields[.etag])
            #expect(try world.send(as: Self.bea, .get, target, fields: [.ifNoneMatch: tag]).status == 304)
            let user = "/api/" + (try world.reference("User", "Anna"))
            #expect(try world.send(as: "editor", .patch, user, #"{"age": 80}"#).status == 200)
            let second = try world.send(as: Self.bea, .get, target, fields: [.ifNoneMatch: tag])
            #expect(second.status == 200 && second["author"] == .null, "\(second.text)")
            // The tag works as a precondition.
            let own = "/api/" + (try world.reference("Post", "Élan"))
            let mine = try #require(try world.send(as: Self.bea, .get, own).fields[.etag])
            let change = try world.send(as: Self.bea, .patch, own, #"{"title": "Elan"}"#, fields: [.ifMatch: mine])
            #expect(change.status == 200)
            // Comments are counted by a derived attribute, which readers can't read.
            let before = try world.send(as: nil, .get, target).fields[.etag]
            let comment = #"{"text": "x", "post": "\#(try world.reference("Post", "Contexts"))"}"#
            #expect(try world.send(as: Self.anna, .post, "/api/comments", comment).status == 201)
            #expect(try world.send(as: nil, .get, target).fields[.etag] == before)
        }
    }

    // MARK: Searches

    private static let articles = Model {
        Entity("Article", userInfo: ["path": "articles"]) {
            Attribute("title", .string).searchIndexed()
            Attribute("body", .string).optional().searchIndexed()
            Attribute("isPublic", .bool).default(false)
        }
    }

    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            for number in 0..<6 {
                let article = try context.insert("Article")
                try article.setValue(.string("graph \(number)"), forKey: "title")
                try article.setValue(.string("word\(number) secret"), forKey: "body")
                try article.setValue(.bool(number < 3), forKey: "isPublic")
            }
            try context.save()
        }
    }

    private func searching(_ rules: String, _ body: (APIWorld) throws -> Void) throws {
        let access = """
            {"identity": {"anonymous": "reader"}, "roles": {"reader": {}}, "rules": {"Article": {\(rules)}}}
            """
        try APIWorld.each(Self.articles, access: access, filling: Self.fill, body)
    }

    @Test("a search finds what can be read, and tells no numbers of the rest")
    func searches() throws {
        try searching(#""read": {"reader": "isPublic == YES"}"#) { world throws in
            #expect(try world.list(as: nil, "/api/articles?search=graph") == ["graph 0", "graph 1", "graph 2"])
            #expect(try world.list(as: nil, "/api/articles?search=word4") == [])
            let first = try world.send(as: nil, .get, "/api/articles?search=graph&limit=1&count=true")
            #expect(first["total"] == 3)
            var titles: [String] = []
            var next = first["next"]?.string
            while let target = next {
                let page = try world.send(as: nil, .get, target)
                titles += page["items"]?.array?.compactMap { $0["title"]?.string } ?? []
                next = page["next"]?.string
            }
            #expect(titles == ["graph 1", "graph 2"])
            func cursor() throws -> String? {
                let page = try world.send(as: nil, .get, "/api/articles?search=graph&limit=1")
                return page["next"]?.string
            }
            // Another hidden object doesn't change the numbers in a cursor.
            let before = try cursor()
            try world.coordinator.withContext { context in
                try context.insert("Article").setValue("graph graph", forKey: "title")
                try context.save()
            }
            #expect(try cursor() == before)
        }
    }

    @Test("texts that can't be read aren't searched")
    func hiddenTexts() throws {
        try searching(#""read": {"reader": true}, "properties": {"body": {"read": []}}"#) { world throws in
            for target in ["/api/articles?search=secret", "/api/articles?search=secret&select=_highlight"] {
                let answer = try world.send(as: nil, .get, target)
                #expect(answer.status == 403 && !answer.text.contains("body"), "\(answer.text)")
            }
        }
    }
}

extension String {
    fileprivate func filled(in world: APIWorld) throws -> String { try world.filled(self) }
}
