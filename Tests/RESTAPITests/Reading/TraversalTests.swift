// SPDX-License-Identifier: Apache-2.0

// From one object to others, and the model's fetch request templates.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Traversal")
struct TraversalTests {
    @Test("a to-one relationship gives the object or 404")
    func toOne() throws {
        try APIWorld.each { world throws in
            let undo = try world.post("Undo")
            let answer = try world.get("/api/\(undo)/author?select=name&include=groups")
            #expect(answer["name"]?.string == "Anna")
            #expect(answer["groups"]?[0]?["name"]?.string == "Writers")
            #expect(answer.fields[.etag] != nil)
            let created = try world.coordinator.withContext { context in
                let page = try context.insert("Page")
                try context.save()
                return world.api.catalogue.reference(to: page.objectID)
            }
            #expect(
                try world.get("/api/\(created)/post").problem
                    == "404 not-found “post” of “\(created)” is null."
            )
            #expect(try world.get("/api/posts/4711/author").problem == "404 not-found There is no Post “4711”.")
            #expect(try world.get("/api/\(undo)/author?limit=3").status == 400)
        }
    }

    @Test("the tag of a to-one relationship changes with the destination, even at the same version")
    func tags() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let tag = try world.get("/api/\(post)/author").fields[.etag]
            #expect(try world.get("/api/\(post)/author", [.ifNoneMatch: tag ?? ""]).status == 304)
            let bea = try world.reference("User", "Bea")
            #expect(try world.send(.patch, "/api/\(post)", "{\"author\":\"\(bea)\"}").status == 200)
            let answer = try world.get("/api/\(post)/author", [.ifNoneMatch: tag ?? ""])
            #expect(answer.status == 200)
            #expect(answer["_id"]?.string == bea)
        }
    }

    @Test("an offset beyond a to-many relationship's end gives an empty list")
    func offset() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            for property in ["pages", "tags", "comments"] {
                let answer = try world.get("/api/\(post)/\(property)?offset=\(Int.max)")
                #expect(answer.text == "{\"items\":[],\"next\":null}")
            }
        }
    }

    @Test("sorting by values without an order is refused")
    func unordered() throws {
        try APIWorld.each { world throws in
            for property in ["extra", "picture"] {
                let answer = try world.get("/api/posts?sort=-\(property)")
                #expect(answer.status == 400)
                #expect(answer["position"]?.int64 == 1)
            }
        }
    }

    @Test("a to-many relationship accepts fetch parameters")
    func toMany() throws {
        try APIWorld.each { world throws in
            let (undo, anna) = try (world.post("Undo"), world.user("Anna"))
            #expect(try world.list("/api/\(undo)/tags") == "core data swift")
            #expect(try world.list("/api/\(undo)/tags?sort=-name&limit=2") == "swift data")
            #expect(try world.list("/api/\(undo)/tags?where=name BEGINSWITH %25@&arg=s") == "swift")
            #expect(try world.list("/api/\(anna)/posts?published=true") == "Contexts Saving")
            #expect(try world.list("/api/\(anna)/posts?tags.name=swift") == "Undo")
            #expect(try world.get("/api/\(anna)/posts?result=count").text == "{\"count\":4}")
            #expect(try world.get("/api/\(anna)/posts?count=true&limit=1&select=title")["total"]?.int64 == 4)
            #expect(try world.list("/api/\(anna)/posts?result=dictionary&aggregate=n:max(views)") == "{\"n\":30}")
            #expect(try world.list("/api/\(anna)/groups") == "Writers")
            #expect(try world.get("/api/users/4711/posts").problem == "404 not-found There is no User “4711”.")
            #expect(try world.get("/api/users/4711/posts?limit=0").status == 404)
            let contact = "Contact/" + String(try #require(anna.split(separator: "/").last))
            #expect(try world.list("/api/\(contact)/posts?views=30") == "Undo")
            #expect(
                try world.get("/api/\(anna)/post").problem
                    == "404 not-found User has no property “post”. Did you mean “posts”?"
            )
        }
    }

    @Test("members of an unordered relationship are sorted by number, alone or embedded")
    func byNumber() throws {
        try APIWorld.each { world throws in
            let (elan, group) = (try world.post("Élan"), try world.reference("Group", "Writers"))
            for tag in ["swift", "data", "core"] {
                let body = try "{\"tags\":{\"add\":[\"\(world.tag(tag))\"]}}"
                #expect(try world.send(.patch, "/api/\(elan)", body).status == 200)
            }
            let members = try ["Cem", "Bea", "Anna"].map { try "\"\(world.user($0))\"" }
            #expect(try world.send(.put, "/api/\(group)/members", "[]").status == 200)
            #expect(try world.send(.put, "/api/\(group)/members", "[\(members.joined(separator: ","))]").status == 200)
            for (owner, property) in [(elan, "tags"), (group, "members")] {
                let list = try world.list("/api/\(owner)/\(property)?sort=_id")
                let names = list.split(separator: " ").map(String.init)
                #expect(names.count == 3)
                #expect(try world.list("/api/\(owner)/\(property)") == list)
                for options in ["", "(limit=3)", "(where=name != nil)"] {
                    let answer = try world.get("/api/\(owner)?include=\(property)\(options)")
                    #expect(answer[property]?.array?.compactMap { $0["name"]?.string } == names, "\(options)")
                }
            }
        }
    }

    @Test("an ordered relationship and its pages keep its order by default")
    func ordered() throws {
        try APIWorld.each { world throws in
            let saving = try world.post("Saving")
            let texts = ["d", "b", "e", "a", "c"]
            let ids = try world.coordinator.withContext { context in
                let post = try context.object(with: #require(context.objectID(of: saving, in: world)))
                let pages = try texts.map { text in
                    let page = try context.insert("Page")
                    try page.setValue(.string(text), forKey: "text")
                    return page
                }
                try post.setObjects(pages, forKey: "pages")
                try context.save()
                return pages.map(\.objectID)
            }
            #expect(try world.list("/api/\(saving)/pages") == "d b e a c")
            #expect(try world.list("/api/\(saving)/pages?where=text > 'a'&limit=3&offset=1") == "b e c")
            #expect(try world.list("/api/\(saving)/pages?sort=text") == "a b c d e")
            #expect(try world.pages("/api/\(saving)/pages?limit=2") == ["d b", "e a", "c"])
            #expect(try world.pages("/api/\(saving)/pages?limit=2&sort=-text") == ["e d", "c b", "a"])
            #expect(try world.get("/api/\(saving)/pages?limit=2&count=true")["total"]?.int64 == 5)
            #expect(try world.get("/api/\(saving)/pages?result=count").text == "{\"count\":5}")
            let ofPages = ids.map(world.api.catalogue.reference)
            #expect(
                try world.list("/api/\(saving)/pages?result=ids&limit=3") == ofPages.prefix(3).joined(separator: " ")
            )

            // A page continues after its last member, wherever that is now.
            let next = try #require(world.get("/api/\(saving)/pages?limit=2")["next"]?.string)
            try world.coordinator.withContext { context in
                let post = try context.object(with: #require(context.objectID(of: saving, in: world)))
                let page = try context.insert("Page")
                try page.setValue("new", forKey: "text")
                try post.setObjects([page] + ids.map(context.object(with:)), forKey: "pages")
                try context.save()
            }
            #expect(try world.list(next) == "e a")
        }
    }

    @Test("pages of an ordered relationship continue by position, although members are moved and deleted")
    func orderedPages() throws {
        try APIWorld.each { world throws in
            let saving = try world.post("Saving")
            func arrange(_ texts: String) throws {
                let pages = try texts.split(separator: " ").map { text in
                    let known = try world.get("/api/pages?text=\(text)&result=ids")["items"]?[0]?.string
                    return known.map { "\"\($0)\"" } ?? "{\"text\":\"\(text)\"}"
                }
                let body = "[\(pages.joined(separator: ","))]"
                #expect(try world.send(.put, "/api/\(saving)/pages", body).status == 200)
            }
            func next(_ change: () throws -> Void) throws -> String {
                try arrange("a b c d e f")
                let next = try #require(world.get("/api/\(saving)/pages?limit=2")["next"]?.string)
                try change()
                return try world.list(next)
            }
            func delete(_ text: String) throws {
                let page = try world.reference("Page", text)
                #expect(try world.send(.delete, "/api/\(page)").status == 204)
            }
            #expect(try next {} == "c d")
            #expect(try next { try delete("b") } == "c d")
            #expect(try next { try delete("a") } == "c d")
            #expect(try next { try arrange("x a b c d e f") } == "c d")
            // With numbered members, moving the last one of a page behind later ones doesn't matter.
            if world.sqlite != nil { #expect(try next { try arrange("a c d e f b") } == "c d") }
        }
    }

    @Test("a relationship without an inverse can be traversed")
    func oneWay() throws {
        let model = Model {
            Entity("Box") { Relationship("things", toMany: "Thing").optional() }
            Entity("Thing") { Attribute("name", .string) }
        }
        func fill(_ coordinator: PersistentStoreCoordinator) throws {
            try coordinator.withContext { context in
                let things = try ["c", "a", "b", "x"].map { name in
                    let thing = try context.insert("Thing")
                    try thing.setValue(.string(name), forKey: "name")
                    try context.save()
                    return thing
                }
                try context.insert("Box").setObjects(Array(things.prefix(3)), forKey: "things")
                try context.save()
            }
        }
        try APIWorld.each(model, filling: fill) { world throws in
            let box = try #require(world.get("/api/Box?result=ids")["items"]?[0]?.string)
            #expect(try world.list("/api/\(box)/things").split(separator: " ").sorted() == ["a", "b", "c"])
            #expect(try world.list("/api/\(box)/things?sort=name") == "a b c")
            #expect(try world.pages("/api/\(box)/things?sort=-name&limit=2") == ["c b", "a"])
            #expect(try world.list("/api/\(box)/things?sort=name&name=b&name=x") == "b")
            #expect(try world.get("/api/\(box)/things?result=count").text == "{\"count\":3}")
        }
    }

    @Test("a fetched property accepts fetch parameters")
    func fetched() throws {
        try APIWorld.each { world throws in
            let undo = try world.post("Undo")
            #expect(try world.list("/api/\(undo)/others") == "Contexts Faults Saving")
            #expect(try world.list("/api/\(undo)/others?sort=-title&limit=2&where=views > 0") == "Saving Faults")
            #expect(try world.get("/api/\(undo)/others?result=count&published=true").text == "{\"count\":2}")
            #expect(try world.pages("/api/\(undo)/others?limit=2") == ["Contexts Faults", "Saving"])
            #expect(try world.get("/api/posts/4711/others").status == 404)
            #expect(try world.send(.post, "/api/\(undo)/others", "{}").status == 405)
        }
    }

    @Test("a traversal needs one statement, and one for an object that isn't in memory")
    func statements() throws {
        try APIWorld.each { world throws in
            let anna = try world.user("Anna")
            for (target, most) in [
                ("/api/\(anna)/posts", 2), ("/api/\(anna)/posts?include=tags", 3), ("/api/\(anna)/groups", 2),
            ] {
                guard let selects = try world.coldSelects(target) else { return }
                #expect(selects <= most)
            }
        }
    }
}

@Suite("Named queries")
struct TemplateTests {
    @Test("named queries are listed with their typed variables")
    func list() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/queries")
            #expect(answer.status == 200)
            #expect(
                answer["items"]?[0]?.serialized() == """
                    {"name":"popular","entity":"Post","predicate":"views >= $VIEWS",\
                    "variables":[{"name":"VIEWS","type":"Int64","isList":false}],"href":"/api/queries/popular?VIEWS=…"}
                    """
            )
            #expect(answer["items"]?[1]?["variables"]?[0]?["type"]?.string == "String")
        }
    }

    @Test(
        "a named query takes variables and fetch parameters",
        arguments: [
            ("popular?VIEWS=30", "Undo Merging Élan"),
            ("popular?$VIEWS=30", "Undo Merging Élan"),
            ("popular?VIEWS=30&sort=-views&limit=2", "Élan Merging"),
            ("popular?VIEWS=30&published=true", "Merging"),
            ("popular?VIEWS=10&where=title BEGINSWITH $T&$T=S", "Saving"),
            ("byAuthor?NAME=Anna", "Contexts Saving"),
        ]
    )
    func variables(query: String, titles: String) throws {
        try APIWorld.each { world throws in #expect(try world.list("/api/queries/\(query)") == titles) }
    }

    @Test(
        "missing and unknown variables of a named query are reported",
        arguments: [
            (
                "popular",
                "400 parameter The query “popular” needs a value for $VIEWS. Pass variables as parameters: ?VIEWS=…"
            ),
            (
                "popular?VIEW=3",
                "400 parameter The query “popular” needs a value for $VIEWS. The request has “VIEW”; did you mean “VIEWS”?"
            ),
            ("popular?VIEWS=3&VEWS=4", "400 parameter The parameter “VEWS” is unknown. Did you mean “VIEWS”?"),
            ("popular?VIEWS=many", "400 parameter “many” isn't a valid Int64 for “views”."),
            ("populer?VIEWS=3", "404 not-found There is no query “populer”. Did you mean “popular”?"),
        ]
    )
    func mistakes(query: String, problem: String) throws {
        try APIWorld.each { world throws in #expect(try world.get("/api/queries/\(query)").problem == problem) }
    }

    @Test("a named query has pages like other lists")
    func pages() throws {
        try APIWorld.each { world throws in
            #expect(
                try world.pages("/api/queries/popular?VIEWS=10&sort=title&limit=2") == [
                    "Faults Merging", "Saving Undo", "Élan",
                ]
            )
        }
    }
}
