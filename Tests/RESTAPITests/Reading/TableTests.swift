// SPDX-License-Identifier: Apache-2.0

// `result=dictionary` with groups and aggregates.

import HTTPMessage
import JSON
import Testing

@Suite("Dictionary results")
struct TableTests {
    @Test("a condition on groups can use a count of distinct values")
    func havingDistinct() throws {
        try APIWorld.each { world throws in
            let query =
                "result=dictionary&group=published&aggregate=authors:countDistinct(author.name),n:countDistinct(views)"
            let answer = try world.get("/api/posts?\(query)&having=n == 3 AND authors > 1&sort=published")
            #expect(answer["items"]?.array?.count == 2)
            #expect(try world.get("/api/posts?\(query)&having=authors > 2")["items"] == [])
        }
    }

    @Test("a sum of decimals is text, even over no objects")
    func decimalSums() throws {
        try APIWorld.each { world throws in
            let sum = "result=dictionary&aggregate=sum:sum(price),count:count(price)"
            #expect(try world.get("/api/posts?\(sum)")["items"] == [["sum": "0", "count": 0]])
            #expect(try world.get("/api/posts?\(sum)&title=nothing")["items"] == [["sum": "0", "count": 0]])
            _ = try world.send(.patch, "/api/\(try world.post("Undo"))", "{\"price\":\"2.50\"}")
            #expect(try world.get("/api/posts?\(sum)")["items"] == [["sum": "2.5", "count": 1]])
            let views = "result=dictionary&aggregate=sum:sum(views)&title=nothing"
            #expect(try world.get("/api/posts?\(views)")["items"] == [["sum": 0]])
        }
    }

    @Test("a dictionary has the key paths as written and the aliases as keys")
    func keys() throws {
        try APIWorld.each { world throws in
            let (anna, bea) = try (world.user("Anna"), world.user("Bea"))
            let target = "/api/posts?result=dictionary&group=author&aggregate=posts:count(_id),top:max(views)"
            #expect(
                try world.get("\(target)&sort=-posts").text == """
                    {"items":[{"author":"\(anna)","posts":4,"top":30},{"author":"\(bea)","posts":2,"top":50}],"next":null}
                    """
            )
            #expect(
                try world.get("\(target)&having=posts > 3").text == """
                    {"items":[{"author":"\(anna)","posts":4,"top":30}],"next":null}
                    """
            )
        }
    }

    @Test(
        "aggregates are count, countDistinct, sum, average, min and max",
        arguments: [
            (
                "aggregate=n:count(_id),a:countDistinct(author),s:sum(views),v:average(views),l:min(views),h:max(views)",
                "{\"n\":6,\"a\":2,\"s\":150,\"v\":25,\"l\":0,\"h\":50}"
            ),
            (
                "aggregate=count(price),min(createdAt),max(title)",
                "{\"count(price)\":0,\"min(createdAt)\":\"2026-05-09T06:13:20.25Z\",\"max(title)\":\"Élan\"}"
            ),
            ("where=views > 10&aggregate=n:count(_id)", "{\"n\":4}"),
            (
                "group=author.name&aggregate=n:sum(views)&sort=-n",
                "{\"author.name\":\"Bea\",\"n\":90} {\"author.name\":\"Anna\",\"n\":60}"
            ),
            (
                "group=published&aggregate=n:count(_id)&having=n == %25@ AND published == %25@&arg=3&arg=true",
                "{\"published\":true,\"n\":3}"
            ),
            ("group=author.name&aggregate=n:count(_id)&having=max:(views) > 40", "{\"author.name\":\"Bea\",\"n\":2}"),
            (
                "select=author.name&distinct=true&sort=-author.name",
                "{\"author.name\":\"Bea\"} {\"author.name\":\"Anna\"}"
            ),
            (
                "select=title,author.address.city,tags.@count&where=views == 10",
                "{\"title\":\"Faults\",\"author.address.city\":\"Ulm\",\"tags.@count\":1}"
            ),
            ("select=title,__hidden&where=views == 10", "{\"title\":\"Faults\",\"__hidden\":null}"),
            ("select=_entity,title&where=views == 10", "{\"_entity\":\"Post\",\"title\":\"Faults\"}"),
            ("group=tags.@count&aggregate=n:count(_id)&sort=-n,tags.@count&limit=1", "{\"tags.@count\":0,\"n\":2}"),
        ]
    )
    func functions(query: String, items: String) throws {
        try APIWorld.each { world throws in
            let found = try world.get("/api/posts?result=dictionary&\(query)")["items"]?.array
            #expect(found?.map { $0.serialized() }.joined(separator: " ") == items)
        }
    }

    @Test("a dictionary without selected columns has all attributes except bytes")
    func all() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/users?result=dictionary&name=Anna")
            #expect(
                answer.text == """
                    {"items":[{"name":"Anna","note":null,"email":"anna@example.org","age":34,\
                    "address":{"street":"Hill 1","city":"Ulm","zip":89073}}],"next":null}
                    """
            )
        }
    }

    @Test(
        "pages of dictionaries neither skip nor repeat objects while other clients write",
        arguments: ["", "&sort=-views", "&sort=title", "&sort=author.name,-title", "&sort=price"]
    )
    func stablePages(sort: String) throws {
        try APIWorld.each { world throws in
            let query = "/api/posts?result=dictionary&select=title,author.name&limit=2\(sort)"
            let all = try world.list("/api/posts?result=dictionary&select=title&limit=10\(sort)")
            #expect(try world.pages(query).joined(separator: " ") == all)
            var titles: [String] = []
            var next: String? = query
            while let target = next, titles.count < 10 {
                let page = try world.get(target)
                titles += page["items"]?.array?.compactMap { $0["title"]?.string } ?? []
                next = page["next"]?.string
                guard titles.count == 2 else { continue }
                // A row that has been shown is deleted.
                #expect(try world.send(.delete, "/api/\(world.post(titles[0]))").status == 204)
            }
            #expect(titles.joined(separator: " ") == all)
        }
    }

    @Test("dictionaries have references for objects and pages by key, and groups have pages by offset")
    func pages() throws {
        try APIWorld.each { world throws in
            let first = try world.get("/api/posts?result=dictionary&select=_id,title&sort=-views&limit=4&count=true")
            #expect(first["total"]?.int64 == 6)
            #expect(first["items"]?[3]?["title"]?.string == "Saving")
            #expect(first["items"]?[3]?["_id"]?.string == (try world.post("Saving")))
            let next = try #require(first["next"]?.string)
            #expect(
                next.hasPrefix("/api/posts?result=dictionary&select=_id,title&sort=-views&limit=4&count=true&cursor=")
            )
            #expect(first.fields["Link"] == "<\(next)>; rel=\"next\"")
            let second = try world.get(next)
            #expect(second.list == "Faults Contexts")
            #expect(second["next"]?.isNull == true)
            let groups = try world.get(
                "/api/posts?result=dictionary&group=author&aggregate=n:count(_id)&limit=1&count=true"
            )
            #expect(groups["total"]?.int64 == 2)
            #expect(groups["next"]?.string?.hasSuffix("&offset=1") == true)
            #expect(
                try world.get("/api/posts?result=dictionary&select=title&limit=0&count=true").text
                    == "{\"items\":[],\"total\":6,\"next\":null}"
            )
        }
    }

    @Test(
        "an invalid table request is refused with 400",
        arguments: [
            (
                "group=author&select=title&aggregate=n:count(_id)",
                "400 parameter “title” may have different values within a group. Add it to “group”, or use an aggregate of it, such as max(title)."
            ),
            (
                "aggregate=n:cuont(_id)",
                "400 parameter at 2: In “aggregate”: There is no function “cuont”. Did you mean “count”?"
            ),
            (
                "aggregate=n:sum(titel)",
                "400 parameter at 6: In “aggregate”: Post has no property “titel”. Did you mean “title”?"
            ),
            (
                "aggregate=n:sum(title)",
                "400 parameter at 2: In “aggregate”: sum takes numbers, but “title” isn't a number."
            ),
            (
                "aggregate=n:sum(author)",
                "400 parameter at 2: In “aggregate”: sum takes values, but “author” is an object."
            ),
            (
                "aggregate=n:sum(tags.posts)",
                "400 parameter at 2: In “aggregate”: “tags.posts” has many values, but sum takes one value per object. Reduce them to one first, such as tags.posts.@count."
            ),
            (
                "aggregate=n:count(_id),n:max(views)",
                "400 parameter Two columns are named “n”. Give one of them an alias."
            ),
            (
                "aggregate=n",
                "400 parameter at 0: In “aggregate”: “n” isn't an aggregate. Write it as posts:count(_id), with one of count, countDistinct, sum, average, min, max."
            ),
            (
                "group=tags",
                "400 parameter at 0: In “group”: “tags” has many values, but a column has one value per row. Reduce them to one, such as tags.@count."
            ),
            ("having=n > 3", "400 parameter “having” requires “group”. Conditions on objects belong in “where”."),
            (
                "group=author&aggregate=posts:count(_id)&having=post > 3",
                "400 predicate at 0: Post has no property “post”. Did you mean “posts”?"
            ),
            (
                "group=author&having=title == 'Undo'",
                "400 parameter “title” may have different values within a group. Group by it too, or use an aggregate of it."
            ),
            ("group=author&having=vews > 3", "400 predicate at 0: Post has no property “vews”. Did you mean “views”?"),
            (
                "group=title&cursor=abc",
                "400 parameter “cursor” requires result=objects, result=ids, or result=dictionary without “group”, “aggregate” and “distinct”. Use “offset”."
            ),
            (
                "select=title&cursor=abc",
                "400 parameter The cursor doesn't belong to this list. Use the one in “next”, with the same conditions and the same order."
            ),
            ("include=author", "400 parameter “include” requires result=objects."),
        ]
    )
    func mistakes(query: String, problem: String) throws {
        try APIWorld.each { world throws in
            #expect(try world.get("/api/posts?result=dictionary&\(query)").problem == problem)
        }
    }

    @Test("parameters of tables are refused for objects")
    func elsewhere() throws {
        try APIWorld.each { world throws in
            #expect(
                try world.get("/api/posts?group=author").problem == "400 parameter “group” requires result=dictionary."
            )
            #expect(
                try world.get("/api/posts?distinct=true").problem
                    == "400 parameter “distinct” requires result=dictionary."
            )
            #expect(
                try world.get("/api/posts?result=ids&select=title").problem
                    == "400 parameter “select” requires result=objects."
            )
        }
    }

    @Test("columns that may differ within a group are refused before a store is read")
    func ungrouped() throws {
        try APIWorld.each { world throws in
            for query in ["sort=title", "having=title == 'x'"] {
                let answer = try world.get("/api/posts?result=dictionary&group=author&aggregate=n:count(_id)&\(query)")
                #expect(answer.status == 400)
                #expect(answer.statements ?? 0 == 0)
            }
        }
    }
}
