// SPDX-License-Identifier: Apache-2.0

// Equality conditions as parameters.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Testing

@Suite("Equality parameters")
struct EqualityTests {
    @Test(
        "an equality parameter works for any property, and repeated values are alternatives",
        arguments: [
            ("published=true", "Contexts Saving Merging"),
            ("published=true&author.name=Bea", "Merging"),
            ("title=Undo&title=Faults", "Faults Undo"),
            ("views=10&views=20&published=true", "Saving"),
            ("tags.name=swift", "Undo"),
            ("tags.name=swift&tags.name=data", "Saving Undo"),
            ("author.address.city=Ulm&views=0", "Contexts"),
            ("createdAt=2026-05-10T06:13:20.25Z", "Faults"),
            ("createdAt=2026-05-10T08:13:20.25%2B02:00", "Faults"),
            ("where=views > 10&published=true", "Saving Merging"),
            ("tags.@count=3", "Undo"),
            ("_entity=Post&views=0", "Contexts"),
        ]
    )
    func conditions(query: String, titles: String) throws {
        try APIWorld.each { world throws in #expect(try world.list("/api/posts?\(query)") == titles) }
    }

    @Test("an equality condition finds shown values, despite their rounding")
    func shown() throws {
        try APIWorld.each { world throws in
            try world.coordinator.withContext { context in
                let request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("title == 'Undo'"))
                let post = try #require(try context.fetch(request).first)
                try post.setValue(.double(1.04), forKey: "rating")
                try post.setValue(.date(Date(timeIntervalSinceReferenceDate: 464_086_493.3699999)), forKey: "createdAt")
                try context.save()
            }
            let shown = try world.get("/api/posts?where=title == 'Undo'")["items"]?[0]
            #expect(shown?["rating"] == 1.04)
            let date = try #require(shown?["createdAt"]?.string)
            #expect(date == "2015-09-16T08:54:53.37Z")
            for query in [
                "rating=1.04", "where=rating == %25@&arg=1.04", "where=rating IN {1, %25@}&arg=1.04",
                "createdAt=\(date)",
                "where=createdAt == %25@&arg=\(date)",
                "where=createdAt >= %25@ AND createdAt <= %25@&arg=\(date)&arg=\(date)",
            ] {
                #expect(try world.list("/api/posts?\(query)") == "Undo", "\(query)")
            }
            let body = "{\"where\":\"rating == %@ AND createdAt == %@\",\"args\":[1.04,\"\(date)\"]}"
            #expect(try world.send(.post, "/api/posts/fetch", body)["items"]?.array?.count == 1)
            #expect(try world.list("/api/posts?where=rating < %25@&arg=1e39") == "Undo")
            #expect(try world.list("/api/posts?where=createdAt < %25@&arg=\(date)") == "")
            let others = try world.get("/api/posts?where=createdAt > %25@&arg=\(date)&limit=0&count=true")
            #expect(others["total"] == 5)
            let different = try world.get("/api/posts?where=createdAt != %25@&arg=\(date)&limit=0&count=true")
            #expect(different["total"] == 5)
        }
    }

    @Test("an equality parameter accepts references, also several")
    func references() throws {
        try APIWorld.each { world throws in
            let (bea, swift, core) = try (world.user("Bea"), world.tag("swift"), world.tag("core"))
            #expect(try world.list("/api/posts?author=\(bea)") == "Merging Élan")
            #expect(try world.list("/api/posts?tags=\(swift)") == "Undo")
            #expect(try world.list("/api/posts?tags=\(swift)&tags=\(core)") == "Faults Saving Undo Élan")
            #expect(
                try world.list("/api/posts?_id=\(try world.post("Undo"))&_id=\(try world.post("Faults"))")
                    == "Faults Undo"
            )
        }
    }

    @Test(
        "a missing key path in JSON is nil, whatever JSON other rows have",
        arguments: [
            ("where=extra.a == 1", "Faults"), ("extra.a=1", "Faults"), ("where=extra.a == %25@&arg=1", "Faults"),
            ("where=extra.a == '1'", "Merging"), ("extra.a=\"1\"", "Merging"), ("extra.a=true", "Faults"),
            ("where=extra.a == true", "Faults"), ("where=extra.a == nil", "Contexts Undo Élan"),
            ("extra.a=", "Contexts Undo Élan"), ("where=extra.a != 1", "Contexts Saving Undo Merging Élan"),
            ("where=ANY extra.a == 2", "Saving"), ("where=extra.a > 0", "Faults"),
            ("where=extra.a.b.c == nil", "Contexts Faults Saving Undo Merging Élan"),
            ("extra.a.b=2", ""), ("where=extra.a BEGINSWITH %25@&arg=1", "Merging"),
            ("where=extra[0] == nil", "Contexts Faults Merging Élan"),
            ("where=extra[0].a == 1", "Saving"), ("where=SUBQUERY(extra, $x, $x.a == 2).@count == 1", "Saving"),
            ("where=extra.a IN %25@&arg=[1,2]", "Faults"), ("where=extra.length == 4", "Élan"),
            ("extra.length=4", "Élan"),
        ]
    )
    func anyJSON(query: String, titles: String) throws {
        try APIWorld.each { world throws in
            for (title, value) in [
                ("Contexts", "7"), ("Faults", "{\"a\":1}"), ("Saving", "[{\"a\":1},{\"a\":2}]"), ("Undo", "[1,\"x\"]"),
                ("Merging", "{\"a\":\"1\"}"), ("Élan", "\"text\""),
            ] {
                let answer = try world.send(.patch, "/api/\(try world.post(title))", "{\"extra\":\(value)}")
                #expect(answer.status == 200)
            }
            #expect(try world.list("/api/posts?\(query)") == titles)
            guard !query.contains("%25"), query.hasPrefix("where=") else { return }
            let condition = query.dropFirst(6)
            let batch = "{\"where\":\"\(condition)\",\"set\":{\"views\":99}}"
            let count = titles.split(separator: " ").count
            #expect(try world.send(.post, "/api/posts/batch-update", batch)["count"]?.int64 == Int64(count))
            #expect(try world.list("/api/posts?views=99") == titles)
        }
    }

    @Test("an empty value means nil, except for strings")
    func empty() throws {
        try APIWorld.each { world throws in
            #expect(try world.list("/api/posts?price=&views=0") == "Contexts")
            #expect(try world.list("/api/posts?createdAt=") == "")
            #expect(try world.list("/api/posts?author=") == "")
            #expect(try world.list("/api/posts?link=&views=0") == "Contexts")
            #expect(try world.list("/api/posts?tags=") == "Contexts Merging")
            #expect(try world.list("/api/posts?__hidden=") == "")
        }
    }

    @Test(
        "an unknown parameter is refused with the nearest parameter or property as a hint",
        arguments: [
            ("limt=2", "400 parameter The parameter “limt” is unknown. Did you mean “limit”?"),
            ("publishd=true", "400 parameter The parameter “publishd” is unknown. Did you mean “published”?"),
            ("_hidden=x", "400 parameter The parameter “_hidden” is unknown. Did you mean “__hidden”?"),
            ("author.nam=x", "400 parameter at 7: In “author.nam”: User has no property “nam”. Did you mean “name”?"),
            ("views=abc", "400 parameter In “views”: “abc” isn't a valid Int64 for “views”."),
            (
                "published=maybe",
                "400 parameter In “published”: “maybe” isn't a valid Bool for “published”. Use true or false."
            ),
            (
                "author=posts/1",
                "400 parameter In “author”: “posts/1” is a Post, but a User is expected."
            ),
            (
                "others=posts/1",
                "400 parameter at 0: In “others”: “others” is a fetched property, which stores can't query."
            ),
            (
                "author.address=Ulm",
                "400 parameter In “author.address”: “Ulm” isn't a valid Address for “address”. Compare its elements: address.street, address.city, address.zip."
            ),
        ]
    )
    func mistakes(query: String, problem: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?\(query)")
            #expect(answer.problem == problem)
            #expect(answer.statements ?? 0 == 0)
        }
    }
}
