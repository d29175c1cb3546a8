// SPDX-License-Identifier: Apache-2.0

// `select` and `include`.

import JSON
import Testing

@testable import RESTAPI

@Suite("Selection and embedding")
struct SelectionTests {
    @Test("select returns key paths as nested objects, to-many relationships as references, and identity always")
    func select() throws {
        try APIWorld.each { world throws in
            let (undo, anna) = try (world.post("Undo"), world.user("Anna"))
            let tags = try ["core", "data", "swift"].map(world.tag)
            func check(_ select: String, _ members: String) throws {
                let answer = try world.get("/api/\(undo)?select=\(select)")
                #expect(answer.text == "{\"_id\":\"\(undo)\",\"_entity\":\"Post\",\"_version\":1\(members)}")
            }
            let user = "\"_id\":\"\(anna)\",\"_entity\":\"User\",\"_version\":1"
            try check("_id,_entity,_version", "")
            try check("", "")
            try check("views,title", ",\"views\":30,\"title\":\"Undo\"")
            try check(" views , title,views", ",\"views\":30,\"title\":\"Undo\"")
            try check("author", ",\"author\":\"\(anna)\"")
            try check("author.name,author.age", ",\"author\":{\(user),\"name\":\"Anna\",\"age\":34}")
            try check("author,author.name", ",\"author\":{\(user),\"name\":\"Anna\"}")
            try check(
                "author.address.city,author.address.zip",
                ",\"author\":{\(user),\"address\":{\"city\":\"Ulm\",\"zip\":89073}}"
            )
            try check(
                "author.address.city,author.address",
                ",\"author\":{\(user),\"address\":{\"street\":\"Hill 1\",\"city\":\"Ulm\",\"zip\":89073}}"
            )
            try check("tags,title", ",\"tags\":[\"\(tags[0])\",\"\(tags[1])\",\"\(tags[2])\"],\"title\":\"Undo\"")
            try check("__hidden", ",\"__hidden\":null")
            try check("author._id", ",\"author\":{\(user)}")
            let names = zip(tags, ["core", "data", "swift"]).map {
                "{\"_id\":\"\($0)\",\"_entity\":\"Tag\",\"_version\":1,\"name\":\"\($1)\"}"
            }
            try check("tags.name", ",\"tags\":[\(names.joined(separator: ","))]")
        }
    }

    @Test("include embeds objects along key paths, and select limits their properties")
    func include() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/\(try world.post("Undo"))?include=author.groups,tags")
            #expect(answer["title"]?.string == "Undo")
            #expect(answer["author"]?["name"]?.string == "Anna")
            #expect(answer["author"]?["groups"]?[0]?["name"]?.string == "Writers")
            #expect(answer["tags"]?.array?.compactMap { $0["name"]?.string } == ["core", "data", "swift"])

            let shown = try world.get("/api/posts?title=Undo&select=title,author.name&include=author.groups,tags")
            let post = shown["items"]?[0]
            #expect(post?.object?.names == ["_id", "_entity", "_version", "title", "author", "tags"])
            #expect(post?["author"]?.object?.names == ["_id", "_entity", "_version", "name", "groups"])
            #expect(post?["tags"]?[0]?.object?.names == ["_id", "_entity", "_version", "name"])

            let bare = try world.get("/api/posts?title=Undo&select=tags&include=tags")["items"]?[0]
            #expect(bare?["tags"]?[0]?["name"]?.string == "core")
        }
    }

    @Test("an included to-many relationship accepts where, sort, limit and select in brackets")
    func options() throws {
        try APIWorld.each { world throws in
            func tags(_ include: String, _ more: String = "") throws -> String {
                let answer = try world.get("/api/posts?views=30&include=\(include)\(more)")
                guard let tags = answer["items"]?[0]?["tags"]?.array else { return answer.problem }
                return tags.compactMap { $0["name"]?.string }.joined(separator: " ")
            }
            #expect(try tags("tags(sort=-name,limit=2),author") == "swift data")
            #expect(try tags("tags(limit=1,sort=name)") == "core")
            #expect(try tags("tags(limit=0)") == "")
            #expect(try tags("tags(where=name IN {'core', 'swift (5)', 'swift'},sort=-name)") == "swift core")
            #expect(try tags("tags(where=name != %25@)", "&arg=data") == "core swift")
            #expect(try tags("tags(sort=-posts.@count,name,limit=2)") == "core data")
            #expect(try tags("tags(select=name).posts(limit=1,sort=title)") == "core data swift")
            let wheres = try world.get(
                "/api/posts?where=views == %25@&include=tags(where=name == %25@)&arg=30&arg=data"
            )
            #expect(wheres["items"]?[0]?["tags"]?.array?.count == 1)
        }
    }

    @Test("the limit of an included relationship applies to each owner")
    func limitOfEach() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/users?include=posts(sort=-views,limit=2,select=title)&sort=name")
            let titles = answer["items"]?.array?.map { user in
                user["posts"]?.array?.compactMap { $0["title"]?.string }.joined(separator: " ")
            }
            #expect(titles == ["Undo Saving", "Élan Merging", ""])
        }
    }

    @Test("objects of subentities are shown with their own properties")
    func below() throws {
        try APIWorld.each { world throws in
            let contacts = try world.get("/api/Contact?include=posts(limit=1),members&select=name,email&sort=name")[
                "items"
            ]
            #expect(contacts?[0]?.object?.names == ["_id", "_entity", "_version", "name", "email", "posts"])
            #expect(contacts?[3]?.object?.names == ["_id", "_entity", "_version", "name", "members"])
            #expect(contacts?[3]?["members"]?.array?.count == 2)
        }
    }

    @Test(
        "embedding k relationships needs at most k+1 statements, whatever the number of objects",
        arguments: [
            ("/api/posts", 1),
            ("/api/posts?select=title", 1),
            ("/api/posts?include=author", 2),
            ("/api/posts?include=tags", 2),
            ("/api/posts?include=pages", 2),
            ("/api/users?include=posts", 2),
            ("/api/posts?select=tags", 2),
            ("/api/posts?include=author,tags", 3),
            ("/api/posts?include=author,tags,pages,comments", 5),
            ("/api/posts?include=author.groups", 3),
            ("/api/posts?include=tags(sort=name,limit=1)", 2),
            ("/api/users?include=posts(sort=-views,limit=2).tags(limit=1)", 3),
            ("/api/posts?include=comments.author.groups.members", 5),
            ("/api/posts?select=title,author.name,tags.name", 3),
            ("/api/users/1?include=posts.tags", 3),
        ]
    )
    func statements(target: String, most: Int) throws {
        try APIWorld.each { world throws in
            guard let selects = try world.coldSelects(target) else { return }
            #expect(selects <= most)
            #expect(selects > 0)
        }
    }

    @Test(
        "an invalid selection is refused with the position and the nearest name",
        arguments: [
            ("include=autor", "400 parameter at 0: In “include”: Post has no property “autor”. Did you mean “author”?"),
            (
                "include=tags,author.grops",
                "400 parameter at 12: In “include”: User has no property “grops”. Did you mean “groups”?"
            ),
            (
                "include=title",
                "400 parameter at 0: In “include”: “title” is an attribute; “include” is for relationships. Attributes are chosen with “select”."
            ),
            (
                "include=others",
                "400 parameter at 0: In “include”: “others” is a fetched property, which must be requested for each object. Use GET /api/posts/…/others."
            ),
            ("include=tags(limit=2),tags(limit=3)", "400 parameter at 14: In “include”: “tags” has options twice."),
            (
                "include=tags(limit=-1)",
                "400 parameter at 11: In “include”: “limit” must be an integer from 0 to 1000, not “-1”."
            ),
            (
                "include=tags(sort=nam)",
                "400 parameter at 10: In “include”: Tag has no property “nam”. Did you mean “name”?"
            ),
            ("include=tags(where=nam == 1)", "400 predicate at 11: Tag has no property “nam”. Did you mean “name”?"),
            (
                "include=tags(limit=1",
                "400 parameter at 12: In “include”: Expected a closing parenthesis, but found the end. Write it as tags(sort=name,limit=5),author."
            ),
            (
                "include=tags()",
                "400 parameter at 5: In “include”: An option is expected, one of where, sort, limit, select. Write it as tags(sort=name,limit=5),author."
            ),
            (
                "include=tags,,author",
                "400 parameter at 5: In “include”: Expected a relationship, but found “,”. Write it as tags(sort=name,limit=5),author."
            ),
            (
                "include=author(limit=1)",
                "400 parameter at 13: In “include”: “author” is a to-one relationship, to which “limit” doesn't apply."
            ),
            (
                "select=title,autor.name",
                "400 parameter at 6: In “select”: Post has no property “autor”. Did you mean “author”?"
            ),
            (
                "select=title.length",
                "400 parameter at 6: In “select”: “title” is of type String and has no properties."
            ),
            (
                "select=author.address.town",
                "400 parameter at 15: In “select”: The composite Address has no element “town”."
            ),
            (
                "include=author.posts.author.posts.author.posts",
                "400 parameter at 33: In “include”: Relationships can be embedded at most 5 levels deep."
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

    @Test("the number of included relationships is limited")
    func number() throws {
        var options = APIOptions()
        options.maximumIncludes = 2
        try APIWorld.each(options: options) { world throws in
            #expect(try world.get("/api/posts?include=author,tags").status == 200)
            let answer = try world.get("/api/posts?include=author.groups,tags")
            #expect(
                answer.problem == "400 parameter 3 relationships would be embedded; at most 2 are allowed. "
                    + "Embed fewer of them, or raise the setting includeCount of the server."
            )
            // The number of shown references is limited only by the model's relationships, also in embedded objects.
            #expect(try world.get("/api/posts?select=tags,pages,comments").status == 200)
            #expect(try world.get("/api/posts?select=author.posts,author.groups,tags").status == 200)
            #expect(try world.get("/api/posts?select=author.posts.views,author.groups,tags.name").status == 400)
        }
    }

    @Test(
        "the number of embedded objects is limited, counting each occurrence",
        arguments: [
            ("posts?include=author", 6), ("posts?include=tags", 7), ("posts?select=tags", 7),
            ("posts?include=tags(sort=name)", 7), ("posts?include=tags(limit=1)", 4), ("posts?include=author,tags", 13),
            ("users?include=posts", 6), ("users?include=posts.tags", 13), ("users?include=posts.tags(limit=1)", 10),
            ("users?include=posts.author", 12),
        ]
    )
    func embeddedNumber(query: String, count: Int) throws {
        for limit in [count, count - 1] {
            var options = APIOptions()
            options.maximumIncludedObjects = limit
            try APIWorld.each(options: options) { world throws in
                let answer = try world.get("/api/\(query)")
                #expect(answer.status == (limit < count ? 400 : 200), "\(query) \(limit)")
                guard limit < count else { return }
                #expect(answer["code"]?.string == "parameter")
                #expect(
                    answer["detail"]?.string?.hasSuffix("the answer would embed more than \(limit) objects.")
                        == true
                )
                #expect(answer["hint"]?.string?.hasPrefix("Request fewer objects with “limit”") == true)
            }
        }
    }
}
