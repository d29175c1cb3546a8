// SPDX-License-Identifier: Apache-2.0

// The parameter `search`.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Searches")
struct SearchTests {
    private static let model = Model {
        Entity("Author", userInfo: ["path": "authors"]) {
            Attribute("name", .string)
            Relationship("articles", toMany: "Article", inverse: "author").optional().ordered()
            Relationship("liked", toMany: "Article").optional()
        }
        Entity("Article", userInfo: ["path": "articles"]) {
            Attribute("title", .string).optional().searchIndexed()
            Attribute("body", .string).optional().searchIndexed()
            Attribute("_note", .string).optional().searchIndexed()
            Attribute("secret", .string).optional()
            Attribute("views", .int64).default(0)
            Relationship("author", toOne: "Author", inverse: "articles").optional()
        }
        FetchRequestTemplate("popular", entity: "Article", predicate: "views >= $VIEWS")
    }

    private static let articles: [(title: String, body: String, views: Int64)] = [
        ("Object graphs", "Graphs of objects & what <they> are good for", 5),
        ("Swift", "A language for object graphs", 9),
        ("Café", "Where graphs are drawn on napkins, and nothing else is ever done by anybody all day long", 7),
        ("Storage", "Files and pages", 1), ("Object", "graphs graphs graphs", 3),
    ]

    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        let author = try coordinator.withContext { context in
            let author = try context.insert("Author")
            try author.setValue("Ann", forKey: "name")
            try context.save()
            return author.objectID
        }
        for (title, body, views) in articles {
            try coordinator.withContext { context in
                let article = try context.insert("Article")
                try article.setValue(.string(title), forKey: "title")
                try article.setValue(.string(body), forKey: "body")
                try article.setValue("hidden", forKey: "secret")
                try article.setValue(.integer(views), forKey: "views")
                if views > 4 { try article.setObject(context.object(with: author), forKey: "author") }
                try context.save()
            }
        }
    }

    private static func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(model, filling: fill, body)
    }

    /// The titles of a list, or the problem.
    private static func titles(_ answer: Answer) -> String {
        guard let items = answer["items"]?.array else { return answer.problem }
        return items.compactMap { $0["title"]?.string }.joined(separator: ",")
    }

    @Test(
        "a search finds words, phrases and prefixes, best match first, combined with conditions and pages",
        arguments: [
            ("search=object", "Object,Swift,Object graphs"), ("search=OBJECT graph*", "Object,Swift,Object graphs"),
            ("search=\"object graphs\"", "Swift,Object graphs"), ("search=cafe", "Café"),
            ("search=graphs NOT object", "Café"), ("search=napkins OR pages", "Storage,Café"),
            ("search=hidden", ""), ("search=object&views=5", "Object graphs"),
            ("search=object&where=views > 4", "Swift,Object graphs"),
            ("search=object&limit=1&offset=1", "Swift"),
            ("search=object&sort=-views", "Swift,Object graphs,Object"),
            ("search=graphs&sort=views&limit=2", "Object,Object graphs"),
            (
                "search=a OR",
                "400 parameter at 2: In “search”: “OR” lacks a word on one side. To search for the word itself, put it in quotation marks."
            ),
            ("search=", ""), ("search=!!!", ""), ("search=\"-\" *&select=title,_highlight", ""),
            ("search=...&sort=-views&where=views > 0", ""), ("search=!&result=ids", ""),
            (
                "select=title,_highlight",
                "400 parameter at 6: In “select”: “_highlight” returns the matches of a search, but the request has no search. Add “search”."
            ),
        ]
    )
    func finding(query: String, titles: String) throws {
        try Self.each { world throws in
            #expect(try Self.titles(world.get("/api/articles?\(query)")) == titles)
        }
    }

    @Test("search works in fetch bodies, on relationships, in named queries, and with every result")
    func everywhere() throws {
        try Self.each { world throws in
            let author = try world.reference("Author", "Ann")
            let body = #"{"search":"graphs","where":"views > %@","args":[4],"select":["title"]}"#
            #expect(try Self.titles(world.send(.post, "/api/articles/fetch", body)) == "Object graphs,Swift,Café")
            #expect(try Self.titles(world.get("/api/\(author)/articles?search=object")) == "Swift,Object graphs")
            let article = try world.get("/api/articles?search=storage")["items"]?[0]?["_id"]?.string ?? ""
            _ = try world.send(.put, "/api/\(author)/liked", "[\"\(article)\"]")
            #expect(try Self.titles(world.get("/api/\(author)/liked?search=files")) == "Storage")
            #expect(try Self.titles(world.get("/api/\(author)/liked?search=object")) == "")
            #expect(try Self.titles(world.get("/api/queries/popular?VIEWS=6&search=graphs")) == "Swift,Café")
            #expect(try world.get("/api/articles?search=object&result=count").text == "{\"count\":3}")
            #expect(try world.get("/api/articles?search=object&limit=1&count=true")["total"]?.int64 == 3)
            let ids = try world.get("/api/articles?search=object&select=title")["items"]?.array?.compactMap(
                \.["_id"]?.string
            )
            #expect(
                try world.get("/api/articles?search=object&result=ids")["items"]?.array?.compactMap(\.string) == ids
            )
            let table = try world.get(
                "/api/articles?search=object&result=dictionary&aggregate=n:count(_id),top:max(views)"
            )
            #expect(table["items"]?[0]?.serialized() == "{\"n\":3,\"top\":9}")
        }
    }

    @Test("a search in a context includes pending changes, page by page")
    func contexts() throws {
        try Self.each { world throws in
            let context = try world.openContext()
            let pending = #"{"title":"Pending","body":"graphs of what isn't saved"}"#
            #expect(try world.send(.post, "\(context)/articles", pending).status == 201)
            let gone = try #require(try world.get("/api/articles?search=napkins")["items"]?[0]?["_id"]?.string)
            #expect(try world.send(.delete, "\(context)/\(gone)").status == 204)
            let edited = try #require(try world.get("/api/articles?search=storage")["items"]?[0]?["_id"]?.string)
            let edit = #"{"body":"no files, but graphs"}"#
            #expect(try world.send(.patch, "\(context)/\(edited)", edit).status == 200)
            let before = try Self.titles(world.get("/api/articles?search=graphs"))
            let hidden = try world.get("\(context)/articles?search=graphs&includePending=false")
            #expect(Self.titles(hidden) == before)
            func found(_ query: String) throws -> [String] {
                try world.titles("\(context)/articles?\(query)").compactMap(\.self).sorted()
            }
            #expect(try found("search=graphs") == ["Object", "Object graphs", "Pending", "Storage", "Swift"])
            #expect(try found("search=files NOT graphs") == [])
            #expect(try found("search=graphs&where=views < 2") == ["Pending", "Storage"])
            #expect(try world.get("\(context)/articles?search=graphs&result=count")["count"] == 5)
            var pages: [String] = []
            var next: String? = "\(context)/articles?search=graphs&limit=2"
            while let target = next {
                let answer = try world.get(target)
                try #require(answer.status == 200, "\(answer.text)")
                pages.append(Self.titles(answer))
                next = answer["next"]?.string
            }
            let all = try Self.titles(world.get("\(context)/articles?search=graphs"))
            #expect(pages.joined(separator: ",") == all)
            #expect(pages.count == 3)
            let shown = try world.get("\(context)/articles?search=saved&select=title,_highlight")
            let mark = shown["items"]?[0]?["_highlight"]?["body"]?.string
            #expect(mark == "graphs of what isn&#39;t <mark>saved</mark>", "\(shown.text)")
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try Self.titles(world.get("/api/articles?search=graphs")) == all)
        }
    }

    @Test("_highlight shows the matches, escaped and marked")
    func highlights() throws {
        try Self.each { world throws in
            let answer = try world.get("/api/articles?search=graphs they&select=title,_highlight")
            let item = try #require(answer["items"]?[0])
            #expect(
                item["_highlight"]?.serialized()
                    == #"{"title":"Object <mark>graphs</mark>","body":"<mark>Graphs</mark> of objects &amp; what &lt;<mark>they</mark>&gt; are good for"}"#
            )
            #expect(item["body"] == nil)
            let table = try world.get(
                "/api/articles?search=graphs they&select=title,_highlight",
                [.accept: "text/csv"]
            ).text.split(whereSeparator: \.isNewline)
            #expect(table.first == "_id,_entity,_version,title,_highlight")
            let cell = item["_highlight"]?.serialized().replacing("\"", with: "\"\"") ?? ""
            #expect(table.dropFirst().first?.hasSuffix(",\"\(cell)\"") == true, "\(table)")
            let path = try #require(item["_id"]?.string)
            #expect(try world.send(.patch, "/api/\(path)", #"{"__note":"a mark"}"#).status == 200)
            let noted = try world.get("/api/articles?search=mark&select=_highlight")
            #expect(noted["items"]?[0]?["_highlight"]?.serialized() == #"{"__note":"a <mark>mark</mark>"}"#)
            #expect(try world.get("/api/\(path)?select=_highlight").status == 400)
        }
    }

    @Test(
        "pages of a search neither skip nor repeat rows while other clients change all scores",
        arguments: ["", "&result=ids"]
    )
    func pages(kind: String) throws {
        try Self.each { world throws in
            for number in 0..<20 {
                let body = "alpha " + String(repeating: "filler ", count: number % 4)
                _ = try world.send(.post, "/api/articles", "{\"title\":\"T\(number)\",\"body\":\"\(body)\"}")
            }
            var found: [String] = []
            var next: String? = "/api/articles?search=alpha OR rare&limit=3\(kind)"
            while let target = next {
                let answer = try world.get(target)
                #expect(answer.status == 200, "\(answer.text)")
                found += (answer["items"]?.array ?? []).compactMap { $0.string ?? $0["_id"]?.string }
                next = answer["next"]?.string
                _ = try world.send(
                    .post,
                    "/api/articles",
                    "{\"title\":\"rare\",\"body\":\"\(String(repeating: "x ", count: 40))\"}"
                )
                if found.count > 60 { break }
            }
            let originals =
                try world.get("/api/articles?search=alpha&result=ids")["items"]?.array?.compactMap(\.string) ?? []
            #expect(originals.count == 20)
            #expect(Set(found).count == found.count)
            #expect(Set(found).isSuperset(of: originals))
        }
    }

    @Test("a search cursor is valid for its own search only, and a forged one is refused")
    func cursors() throws {
        try Self.each { world throws in
            let next = try #require(try world.get("/api/articles?search=graphs&limit=1")["next"]?.string)
            #expect(try world.get(next).status == 200)
            #expect(try world.get(next.replacing("graphs", with: "object")).status == 400)
            #expect(try world.get(next + "AAAA").status == 400)
            let explained = try world.get(next + "&explain=true")
            #expect(explained.status == 200)
            if world.sqlite != nil {
                #expect(explained["items"]?[0]?["sql"]?.string?.contains("outcrop_score") == true)
                #expect(explained["items"]?[0]?["usesIndex"]?.bool == true)
            } else {
                #expect(
                    explained["items"]?[0]?["evaluatedInMemory"]?[0]?.string
                        == "searching for graphs (the store is in memory)"
                )
            }
        }
    }

    @Test("a search's tag changes with every change that affects relevance")
    func tags() throws {
        try Self.each { world throws in
            let first = try world.get("/api/articles?search=graphs")
            let tag = try #require(first.fields[.etag])
            #expect(try world.get("/api/articles?search=graphs", [.ifNoneMatch: tag]).status == 304)
            _ = try world.send(.post, "/api/articles", "{\"title\":\"graphs\"}")
            #expect(try world.get("/api/articles?search=graphs", [.ifNoneMatch: tag]).status == 200)
        }
    }

    @Test("the number of a search's statements doesn't depend on the matches")
    func statements() throws {
        try Self.each { world throws in
            guard world.sqlite != nil else { return }
            _ = try world.get("/api/articles?search=graphs")
            let few = try world.get("/api/articles?search=napkins")
            let many = try world.get("/api/articles?search=graphs")
            #expect(few.statements == many.statements)
        }
    }

    @Test("search is documented for entities with searchable attributes only")
    func description() throws {
        try Self.each { world throws in
            let document = try world.get("/openapi.json")
            func names(_ path: String) -> [Substring] {
                document["paths"]?[path]?["get"]?["parameters"]?.array?.compactMap {
                    $0["$ref"]?.string?.split(separator: "/").last
                } ?? []
            }
            #expect(names("/api/articles").contains("search"))
            #expect(!names("/api/authors").contains("search"))
        }
    }
}
