// SPDX-License-Identifier: Apache-2.0

// Reading in the shape of a former version of the model.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Reading in another version of the model")
struct VersionReadingTests {
    @Test("an object has the names and the properties of the version")
    func object() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let answer = try world.former(.get, "/api/articles/\(key)")
            let members = try #require(answer.json?.object)
            #expect(
                members.names == [
                    "_id", "_entity", "_version", "headline", "views", "rating", "note", "cover", "place", "author",
                ]
            )
            #expect(members["_id"]?.string == "articles/\(key)" && members["_entity"] == "Article")
            #expect(members["headline"] == "Faults" && members["rating"] == 5 && members["note"] == "none")
            #expect(members["author"]?.string?.hasPrefix("authors/") == true)
            #expect(try world.former(.get, "/api/Article/\(key)").bytes == answer.bytes)
            // The served names aren't those of the version.
            #expect(try world.former(.get, "/api/posts/\(key)").status == 404)
            #expect(try world.get("/api/articles/\(key)").status == 404)
        }
    }

    @Test("null is shown as the default of an attribute that the version requires")
    func null() throws {
        try TwoVersions.each { world in
            let path = "/api/articles/\(try world.key("Saving"))"
            #expect(try world.former(.get, path)["rating"] == 3)
            #expect(try world.former(.get, "\(path)?select=rating")["rating"] == 3)
            let csv = try world.former(.get, "/api/articles?select=rating&sort=headline", fields: [.accept: "text/csv"])
            #expect(csv.text.split(whereSeparator: \.isNewline).dropFirst().compactMap(\.last) == ["5", "3", "3"])
            let lines = try world.former(.get, "/api/articles", fields: [.accept: "application/x-ndjson"])
            #expect(lines.text.contains("\"rating\":3") && !lines.text.contains("\"rating\":null"))
        }
    }

    @Test("tags of the version's objects are not those of the served version's")
    func tags() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let tag = try #require(world.former(.get, "/api/articles/\(key)").fields[.etag])
            let served = try #require(world.get("/api/posts/\(key)").fields[.etag])
            #expect(tag != served)
            #expect(try world.former(.get, "/api/articles/\(key)", fields: [.ifNoneMatch: tag]).status == 304)
            #expect(try world.former(.get, "/api/articles/\(key)", fields: [.ifNoneMatch: served]).status == 200)
            let list = try #require(world.get("/api/authors").fields[.etag])
            #expect(try world.get("/api/authors", [.ifNoneMatch: list]).status == 304)
            #expect(try world.former(.get, "/api/authors", fields: [.ifNoneMatch: list]).status == 200)
            let former = try #require(world.former(.get, "/api/authors").fields[.etag])
            #expect(try world.former(.get, "/api/authors", fields: [.ifNoneMatch: former]).status == 304)
        }
    }

    @Test("answers from memory are those of the version, and caches know what they depend on")
    func memory() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            _ = try world.get("/api/posts/\(key)")
            let served = HTTPRequest(.get, "/api/posts/\(key)", fields: ["Accept-Model": "App 2"])
            let response = try #require(world.api.respondImmediately(to: served))
            #expect(response.fields.values(of: .vary).contains("Accept-Model"))
            let former = HTTPRequest(.get, "/api/articles/\(key)", fields: TwoVersions.fields)
            #expect(world.api.respondImmediately(to: former) == nil)
            // Both versions have this path.
            let author = try #require(world.former(.get, "/api/articles/\(key)")["author"]?.string)
            _ = try world.get("/api/\(author)")
            #expect(world.api.respondImmediately(to: HTTPRequest(.get, "/api/\(author)")) != nil)
            let other = HTTPRequest(.get, "/api/\(author)", fields: TwoVersions.fields)
            #expect(world.api.respondImmediately(to: other) == nil)
            #expect(try world.former(.get, "/api/\(author)")["email"] == nil)
        }
    }

    /// Queries, and the headlines that they find.
    static let queries: [(target: String, headlines: [String])] = [
        ("/api/articles?where=headline == 'Saving'", ["Saving"]),
        ("/api/articles?where=headline BEGINSWITH %25@ AND views > %25@&arg=S&arg=5", ["Saving"]),
        ("/api/articles?where=%25K == 'Saving'&arg=headline", ["Saving"]),
        ("/api/articles?where=author.name == 'Ben'", ["Undo"]),
        ("/api/articles?where=ANY tags.name == 'core'", ["Faults"]),
        ("/api/articles?where=tags.@count == 1", ["Faults"]),
        ("/api/articles?where=SUBQUERY(tags, $t, $t.name == 'core').@count > 0", ["Faults"]),
        ("/api/articles?where=_entity == 'Article' AND author.articles.@count == 1", ["Undo"]),
        ("/api/articles?where=_entity IN {'Article'}&sort=-headline&limit=1", ["Undo"]),
        ("/api/articles?_entity=Article&headline=Undo", ["Undo"]),
        ("/api/articles?author.name=Ann&sort=-headline", ["Saving", "Faults"]),
        ("/api/articles?sort=-author.name,-headline", ["Undo", "Saving", "Faults"]),
        ("/api/articles?select=headline&sort=headline", ["Faults", "Saving", "Undo"]),
        ("/api/queries/titled?TEXT=S", ["Saving"]),
    ]

    @Test("predicates, sort orders and parameters have the version's names", arguments: queries)
    func query(target: String, headlines: [String]) throws {
        try TwoVersions.each { world in
            let found = try world.headlines(target)
            #expect(found == headlines)
        }
    }

    @Test("objects are embedded in the version's shape")
    func embedded() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let include = "author(select=name),tags(where=name == 'core',sort=name)"
            let article = try world.former(.get, "/api/articles/\(key)?include=\(include)")
            #expect(article["author"]?["name"] == "Ann", "\(article.text)")
            #expect(article["tags"]?.array?.first?["_entity"] == "Tag")
            #expect(article["tags"]?.array?.first?["name"] == "core")
            let list = try world.former(.get, "/api/authors?include=articles.tags&sort=name")
            let first = list["items"]?.array?.first
            #expect(first?["articles"]?.array?.count == 2 && first?["email"] == nil)
            #expect(try world.headlines("/api/\(#require(first?["_id"]?.string))/articles?sort=headline").count == 2)
            #expect(try world.headlines("/api/articles/\(key)/others?sort=headline") == ["Faults", "Saving"])
            #expect(try world.former(.get, "/api/articles/\(key)/author")["name"] == "Ann")
            let named = try world.former(.get, "/api/articles?author=\(#require(first?["_id"]?.string))&result=count")
            #expect(named["count"] == 2)
        }
    }

    @Test("tables have the version's names")
    func tables() throws {
        try TwoVersions.each { world in
            let table = "/api/articles?result=dictionary&group=author.name&aggregate=top:max(views),n:count(_id)"
            let rows = try world.former(.get, "\(table)&having=n > 1&sort=-author.name")["items"]
            #expect(rows == [["author.name": "Ann", "top": 10, "n": 2]])
            let entities = try world.former(
                .get,
                "/api/articles?result=dictionary&group=_entity&having=_entity == 'Article'"
            )
            #expect(entities["items"] == [["_entity": "Article"]])
            let all = try world.former(.get, "/api/tags?result=dictionary")
            #expect(all["items"] == [["name": "core"]])
            let csv = try world.former(.get, "/api/articles?where=views == 20", fields: [.accept: "text/csv"])
            #expect(csv.text.hasPrefix("_id,_entity,_version,headline,views,rating,note,cover,place.city,author"))
            #expect(csv.text.contains(",Article,"))
        }
    }

    @Test("pages go on in either version")
    func pages() throws {
        try TwoVersions.each { world in
            let first = try world.former(.get, "/api/articles?sort=headline&limit=1")
            let next = try #require(first["next"]?.string)
            #expect(try world.headlines(next) == ["Saving"])
        }
    }

    @Test("what the version doesn't have is unknown, and suggestions are in its names")
    func unknown() throws {
        try TwoVersions.each { world in
            for target in [
                "?where=slug == '-'", "?sort=slug", "?select=slug", "?include=reviews", "?slug=-", "?title=x",
            ] {
                let answer = try world.former(.get, "/api/articles\(target)")
                #expect(answer.status == 400, "\(target): \(answer.text)")
                #expect(!answer.text.contains("Post"), "\(answer.text)")
            }
            let typo = try world.former(.get, "/api/articles?where=headlin == 'x'")
            #expect(typo["hint"]?.string?.contains("headline") == true && typo["position"] == 0)
            #expect(typo["detail"]?.string?.contains("Article") == true)
            #expect(
                try world.former(.get, "/api/articles?where=headline > 5")["detail"]?.string?.contains("title") != true
            )
            #expect(try world.former(.get, "/api/reviews").status == 404)
        }
    }
}
