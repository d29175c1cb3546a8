// SPDX-License-Identifier: Apache-2.0

// Orders and pages.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Testing

@testable import RESTAPI

@Suite("Sorting and paging")
struct PagingTests {
    @Test(
        "sort accepts key paths and directions, with null first and the object's number last",
        arguments: [
            ("sort=-views", "Élan Merging Undo Saving Faults Contexts"),
            ("sort=title", "Contexts Faults Merging Saving Undo Élan"),
            ("sort=title[cd]", "Contexts Élan Faults Merging Saving Undo"),
            ("sort=-author.name,title[cd]", "Élan Merging Contexts Faults Saving Undo"),
            ("sort=published,-createdAt", "Élan Undo Faults Merging Saving Contexts"),
            ("sort=tags.@count,-views", "Merging Contexts Élan Faults Saving Undo"),
            ("sort=price", "Contexts Faults Saving Undo Merging Élan"),
            ("sort=_id", "Contexts Faults Saving Undo Merging Élan"),
            ("sort=-_id", "Élan Merging Undo Saving Faults Contexts"),
            ("sort=author.address.city,views", "Merging Élan Contexts Faults Saving Undo"),
            ("sort=", "Contexts Faults Saving Undo Merging Élan"),
        ]
    )
    func orders(query: String, titles: String) throws {
        try APIWorld.each { world throws in
            #expect(try world.list("/api/posts?\(query)") == titles)
            #expect(try world.pages("/api/posts?\(query)&limit=4").joined(separator: " ") == titles)
        }
    }

    @Test("limit and offset select a page, count=true adds the total, and limit=0 gives no items")
    func windows() throws {
        try APIWorld.each { world throws in
            #expect(try world.list("/api/posts?limit=2&offset=1") == "Faults Saving")
            #expect(try world.list("/api/posts?offset=5") == "Élan")
            #expect(try world.list("/api/posts?offset=9") == "")
            let counted = try world.get("/api/posts?limit=2&count=true&published=true&select=title")
            #expect(counted["total"]?.int64 == 3)
            #expect(try world.get("/api/posts?limit=0&count=true").text == "{\"items\":[],\"total\":6,\"next\":null}")
            #expect(try world.get("/api/posts?limit=0").text == "{\"items\":[],\"next\":null}")
            #expect(try world.get("/api/posts?limit=6&select=title")["next"]?.isNull == true)
        }
    }

    @Test("result can be objects, ids or count")
    func results() throws {
        try APIWorld.each { world throws in
            let ids = try ["Undo", "Élan"].map(world.post)
            #expect(try world.list("/api/posts?result=ids&title=Undo&title=Élan") == ids.joined(separator: " "))
            #expect(try world.get("/api/posts?result=count").text == "{\"count\":6}")
            #expect(try world.get("/api/posts?result=count&views=0&views=10").text == "{\"count\":2}")
            #expect(try world.get("/api/Contact?result=count").text == "{\"count\":4}")
            #expect(try world.get("/api/Contact?result=count&includeSubentities=false").text == "{\"count\":0}")
            #expect(try world.get("/api/users?result=ids&includePending=false&limit=1").status == 200)
            let pages = try world.pages("/api/posts?result=ids&sort=-views&limit=4")
            #expect(pages.count == 2)
            #expect(pages[1] == "\(try world.post("Faults")) \(try world.post("Contexts"))")
        }
    }

    @Test("next is an absolute path with the same parameters, and also a Link field")
    func next() throws {
        try APIWorld.each { world throws in
            let first = try world.get("/api/posts?where=views > %25@&arg=10&sort=-title&limit=2&select=title&offset=1")
            let next = try #require(first["next"]?.string)
            #expect(
                next.hasPrefix("/api/posts?where=views%20%3E%20%25@&arg=10&sort=-title&limit=2&select=title&cursor=")
            )
            #expect(first.fields["Link"] == "<\(next)>; rel=\"next\"")
            #expect(first.list == "Undo Saving")
            let second = try world.get(next)
            #expect(second.list == "Merging")
            #expect(second["next"]?.isNull == true)
            #expect(second.fields["Link"] == nil)
        }
    }

    @Test("pages neither skip nor repeat rows while other clients write")
    func writers() throws {
        try APIWorld.each { world throws in
            for sort in ["title", "-views", "_id", "-author.name,title[cd]", "price,-title"] {
                let first = try world.get("/api/posts?sort=\(sort)&limit=3")
                let all = try world.list("/api/posts?sort=\(sort)").split(separator: " ")
                try world.coordinator.withContext { context in
                    // Shown rows disappear, and others come before them.
                    for title in all.prefix(2) {
                        let request = FetchRequest<ManagedObject>(
                            "Post",
                            predicate: try ObjectPredicate("title == %@", String(title))
                        )
                        for post in try context.fetch(request) { try post.setValue("AAA", forKey: "title") }
                    }
                    try context.save()
                }
                let second = try world.get(#require(first["next"]?.string)).list.split(separator: " ")
                #expect(second == all.suffix(3), "\(sort)")
                try world.coordinator.withContext { context in
                    let posts = try context.fetch(
                        FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("title == 'AAA'"))
                    )
                    for post in posts {
                        let views = try post.value(forKey: "views")
                        let titles: [Value] = ["Contexts", "Faults", "Saving", "Undo", "Merging", "Élan"]
                        guard case .integer(let number) = views else { continue }
                        try post.setValue(titles[Int(number) / 10], forKey: "title")
                    }
                    try context.save()
                }
            }
        }
    }

    @Test("next is short, even when sorting by long texts", arguments: ["text", "-text", "text[cd],-createdAt"])
    func longTexts(sort: String) throws {
        try APIWorld.each { world throws in
            let common = String(repeating: "x", count: 20_000)
            let texts = ["\u{301}combined"] + ["a", "b", "c", "d"].map { common + $0 } + ["y"]
            let post = try world.post("Undo")
            for text in texts {
                let body = "{\"text\":\"\(text)\",\"post\":\"\(post)\"}"
                #expect(try world.send(.post, "/api/comments", body).status == 201)
            }
            let path = "/api/\(post)/comments?sort=\(sort)&limit=1"
            var found: [String] = []
            var next: String? = path
            while let target = next, found.count < 10 {
                let answer = try world.get(target)
                found += answer["items"]?.array?.compactMap { $0["text"]?.string } ?? []
                next = answer["next"]?.string
                #expect(next?.utf8.count ?? 0 < 2_000)
            }
            #expect(found.count == texts.count)
            #expect(Set(found) == Set(texts))
        }
    }

    @Test(
        "a cursor contains a thousand bytes of a text, so that no row repeats after a deletion",
        arguments: ["text", "-text"]
    )
    func carriedTexts(sort: String) throws {
        try APIWorld.each { world throws in
            let common = String(repeating: "x", count: 998)
            let post = try world.post("Undo")
            for letter in ["a", "b", "c", "d"] {
                let body = "{\"text\":\"\(common)\(letter)\",\"post\":\"\(post)\"}"
                #expect(try world.send(.post, "/api/comments", body).status == 201)
            }
            let first = try world.get("/api/\(post)/comments?sort=\(sort)&limit=2")
            let last = try #require(first["items"]?[1]?["_id"]?.string)
            #expect(try world.send(.delete, "/api/\(last)").status == 204)
            let next = try world.get(#require(first["next"]?.string))
            let ends = next["items"]?.array?.compactMap { $0["text"]?.string?.suffix(1) } ?? []
            #expect(ends == (sort == "text" ? ["c", "d"] : ["b", "a"]))
        }
    }

    @Test("a cursor with many long keys fits in a request's head")
    func manyLongKeys() {
        let keys = (0..<16).map { Value.string(String(repeating: "\($0 % 10)", count: 5_000)) }
        #expect(Cursor(keys: keys).text(of: "list").utf8.count < 8_000)
    }

    @Test(
        "JSON values are sorted by kind, and pages continue after each kind",
        arguments: ["sort=extra.a", "sort=-extra.a", "sort=extra.a[cd],-title", "sort=-extra.a[c]"]
    )
    func anyJSON(sort: String) throws {
        try APIWorld.each { world throws in
            let long = String(repeating: "x", count: 3_000)
            let values = [
                "{\"a\":1}", "7", "[1,2]", "\"text\"", "true", "{\"a\":\"b\"}", "{\"a\":\"B\"}", "{\"a\":[1,2]}",
                "{\"a\":[1,[\"z\"]]}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":null}}", "{\"a\":null}", "{\"a\":-1.5}",
                "[{\"a\":1},{\"a\":3}]", "{\"a\":\"\(long)1\"}", "{\"a\":\"\(long)2\"}", "{\"a\":[\"\(long)1\"]}",
                "{\"a\":[\"\(long)2\"]}", "{\"a\":\"\"}", "{\"a\":true}",
            ]
            for (number, value) in values.enumerated() {
                let body = "{\"title\":\"Row \(number)\",\"extra\":\(value)}"
                #expect(try world.send(.post, "/api/posts", body).status == 201)
            }
            let whole = try world.list("/api/posts?\(sort)&result=ids&limit=100")
            #expect(whole.split(separator: " ").count == values.count + 6)
            for limit in [1, 3] {
                let pages = try world.pages("/api/posts?\(sort)&result=ids&limit=\(limit)")
                #expect(pages.joined(separator: " ") == whole)
            }
        }
    }

    @Test(
        "pages sorted by long texts skip no row when the last row of a page is deleted",
        arguments: ["text", "-text"]
    )
    func longTextsChanged(sort: String) throws {
        try APIWorld.each { world throws in
            let common = String(repeating: "x", count: 20_000)
            let post = try world.post("Undo")
            for letter in ["a", "b", "c"] {
                let body = "{\"text\":\"\(common)\(letter)\",\"post\":\"\(post)\"}"
                #expect(try world.send(.post, "/api/comments", body).status == 201)
            }
            let first = try world.get("/api/\(post)/comments?sort=\(sort)&limit=2")
            let last = try #require(first["items"]?[1]?["_id"]?.string)
            #expect(try world.send(.delete, "/api/\(last)").status == 204)
            let next = try world.get(#require(first["next"]?.string))
            let ends = next["items"]?.array?.compactMap { $0["text"]?.string?.suffix(1) } ?? []
            #expect(ends.last == (sort == "text" ? "c" : "a"))
        }
    }

    @Test("a damaged cursor, or one of another list or order, is refused")
    func cursors() throws {
        try APIWorld.each { world throws in
            let next = try #require(world.get("/api/posts?sort=title&limit=2")["next"]?.string)
            let cursor = String(try #require(next.split(separator: "=").last))
            #expect(try world.get("/api/posts?sort=title&cursor=\(cursor)").status == 200)
            var changed = Array(cursor.utf8)
            for place in changed.indices {
                changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let answer = try world.get("/api/posts?sort=title&cursor=\(String(decoding: changed, as: UTF8.self))")
                // The last character has unused bits.
                #expect(answer.status == 400 || place == changed.count - 1)
                changed = Array(cursor.utf8)
            }
            for query in [
                "posts?sort=-title&cursor=\(cursor)", "posts?cursor=\(cursor)",
                "posts?sort=title&views=0&cursor=\(cursor)",
                "tags?sort=name&cursor=\(cursor)", "posts?sort=title&cursor=", "posts?sort=title&cursor=%FF",
                "posts?sort=title&cursor=\(cursor)&offset=2", "posts?sort=title&cursor=\(cursor)&result=count",
            ] {
                let answer = try world.get("/api/\(query)")
                #expect(answer.status == 400, "\(query)")
            }
        }
    }

    @Test(
        "invalid paging parameters are refused with 400",
        arguments: [
            ("limit=1001", "400 parameter “limit” must be at most 1000, not 1001."),
            ("limit=-1", "400 parameter The parameter “limit” must be a non-negative integer, not “-1”."),
            ("limit=2&limit=3", "400 parameter The parameter “limit” is given 2 times. Use it only once."),
            ("offset=x", "400 parameter The parameter “offset” must be a non-negative integer, not “x”."),
            ("result=object", "400 parameter The parameter “result” can't be “object”. Did you mean “objects”?"),
            ("sort=titel", "400 parameter at 0: In “sort”: Post has no property “titel”. Did you mean “title”?"),
            (
                "sort=title,-author.nam",
                "400 parameter at 14: In “sort”: User has no property “nam”. Did you mean “name”?"
            ),
            (
                "sort=tags",
                "400 parameter at 0: In “sort”: “tags” has many values, which can't be sorted by. Reduce them to one, such as tags.@count."
            ),
            ("sort=author", "400 parameter at 0: In “sort”: “author” is an object. Sort by one of its attributes."),
            ("sort=title[x]", "400 parameter at 5: In “sort”: “[x]” aren't valid options. Use [c], [d], [cd] or [l]."),
            (
                "sort=title,,views",
                "400 parameter at 6: In “sort”: A key path is missing. Write it as -createdAt,title[cd]."
            ),
            (
                "sort=" + Array(repeating: "title", count: 17).joined(separator: ","),
                "400 parameter at 0: In “sort”: There are 17 items; at most 16 are allowed."
            ),
            (
                "search=words",
                "400 parameter Post has no attributes in the search index. Mark an attribute as “searchIndexed” in the model, or use “where”."
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
