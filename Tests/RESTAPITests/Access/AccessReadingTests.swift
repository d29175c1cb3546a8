// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Reading under access rules")
struct AccessReadingTests {
    /// Readers see published posts, and members also their own. Comments are seen with their posts; of users, members see
    /// those who write, without their emails.
    static let blog = """
        {
          "identity": {
            "accounts": {"entity": "User", "name": "email", "password": "note"},
            "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "email == $CLAIMS.email"},
            "anonymous": "reader"
          },
          "roles": {
            "reader": {}, "member": {"extends": ["reader"]}, "editor": {}, "nothing": {}, "admin": {"administers": true}
          },
          "rules": {
            "Post": {
              "read": {"reader": "published == YES", "member": "author == $USER", "editor": true},
              "create": {"member": "author == $USER AND published == NO", "editor": true},
              "update": {"member": {"where": "author == $USER", "check": "author == $USER AND published == NO"}, "editor": true},
              "delete": {"editor": true},
              "properties": {"views": {"write": ["editor"]}, "rating": {"read": ["editor"]}},
              "set": {"author": "$USER"}
            },
            "Comment": {"read": {"reader": "post.published == YES", "editor": true}, "create": {"member": true}},
            "User": {"read": {"member": "age < 50", "editor": true}, "properties": {"email": {"read": ["editor"]}}},
            "Tag": {"read": {"reader": "name != 'data'", "editor": true}},
            "Page": {"read": {"editor": true, "member": "post.author == $USER"}}
          }
        }
        """

    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws { try APIWorld.each(access: Self.blog, body) }

    @Test("lists have only objects that can be read")
    func lists() throws {
        try each { world throws in
            #expect(try world.list(as: nil, "/api/posts?sort=views") == ["Contexts", "Saving", "Merging"])
            #expect(
                try world.list(as: Self.anna, "/api/posts?sort=views") == [
                    "Contexts", "Faults", "Saving", "Undo", "Merging",
                ]
            )
            #expect(try world.list(as: Self.bea, "/api/posts?sort=views") == ["Contexts", "Saving", "Merging", "Élan"])
            #expect(try world.list(as: "editor", "/api/posts").count == 6)
            #expect(try world.list(as: "admin", "/api/posts").count == 6)
            #expect(try world.send(as: nil, .get, "/api/posts?result=count")["count"] == 3)
            #expect(try world.send(as: nil, .get, "/api/posts?count=true&limit=1")["total"] == 3)
            #expect(try world.send(as: nil, .get, "/api/posts?result=ids")["items"]?.array?.count == 3)
        }
    }

    @Test("pages by cursor skip what can't be read")
    func pages() throws {
        try each { world throws in
            var titles: [String] = []
            var next: String? = "/api/posts?sort=-views&limit=1"
            while let target = next, titles.count < 10 {
                let page = try world.send(as: Self.bea, .get, target)
                titles += page["items"]?.array?.compactMap { $0["title"]?.string } ?? []
                next = page["next"]?.string
            }
            #expect(titles == ["Élan", "Merging", "Saving", "Contexts"])
        }
    }

    @Test("an object that can't be read isn't found")
    func objects() throws {
        try each { world throws in
            let hidden = "/api/" + (try world.reference("Post", "Faults"))
            let shown = "/api/" + (try world.reference("Post", "Saving"))
            #expect(try world.send(as: nil, .get, hidden).status == 404)
            #expect(try world.send(as: Self.anna, .get, hidden)["title"] == "Faults")
            #expect(try world.send(as: Self.bea, .get, hidden).status == 404)
            #expect(try world.send(as: nil, .get, shown)["title"] == "Saving")
            #expect(try world.send(as: nil, .get, hidden + "/pages").status == 404)
            #expect(try world.send(as: nil, .get, hidden + "/author").status == 404)
            // The same words as for an object that doesn't exist.
            let missing = try world.send(as: nil, .get, "/api/posts/999").text
            let key = hidden.split(separator: "/").last.map(String.init) ?? ""
            #expect(try world.send(as: nil, .get, hidden).text == missing.replacing("999", with: key))
        }
    }

    @Test("an object in memory is answered only to those who can read it")
    func memory() throws {
        try each { world throws in
            let hidden = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.send(as: "editor", .get, hidden)
            #expect(try world.send(as: nil, .get, hidden).status == 404)
            var request = HTTPRequest(.get, hidden)
            #expect(world.api.respondImmediately(to: request) == nil)
            #expect(world.api.respondShortly(to: request).map { $0.status.code } ?? 404 == 404)
            request.fields[.authorization] = "Bearer editor"
            let answer = world.api.respondShortly(to: request) ?? world.api.respond(to: request)
            #expect(answer.status == .ok)
        }
    }

    @Test("references to objects that can't be read are null, and their members are missing")
    func references() throws {
        try each { world throws in
            let saving = try world.send(as: nil, .get, "/api/" + (try world.reference("Post", "Saving")))
            // Readers know of no users, so that posts have no author for them.
            #expect(saving["author"] == nil)
            let member = try world.send(as: Self.bea, .get, "/api/posts?where=title=='Saving'&include=author,tags")
            #expect(member["items"]?[0]?["author"]?["name"] == "Anna")
            #expect(member["items"]?[0]?["author"]?["email"] == nil)
            #expect(member["items"]?[0]?["tags"]?.array?.map { $0["name"]?.string } == ["core"])
            let comments = try world.send(as: "editor", .get, "/api/comments")
            #expect(comments["items"]?[0]?["author"]?.string != nil)
            #expect(try world.list(as: Self.anna, "/api/comments").isEmpty)
        }
    }

    @Test("a to-one relationship to an object that can't be read is null")
    func hiddenDestinations() throws {
        try each { world throws in
            let post = try world.reference("Post", "Saving")
            let cem = try world.reference("User", "Cem")
            #expect(try world.send(as: "editor", .patch, "/api/" + post, #"{"author": "\#(cem)"}"#).status == 200)
            for target in [
                "/api/\(post)", "/api/posts?where=title=='Saving'", "/api/posts?where=title=='Saving'&include=author",
            ] {
                let answer = try world.send(as: Self.bea, .get, target)
                let object = answer["items"]?[0] ?? answer.json
                #expect(object?["author"] == .null, "\(target): \(answer.text)")
            }
            #expect(try world.send(as: Self.bea, .get, "/api/\(post)/author").status == 404)
            // A reader with the rule for memory.
            var request = HTTPRequest(.get, "/api/" + post)
            request.fields[.authorization] = "Bearer \(Self.bea)"
            if let answer = world.api.respondImmediately(to: request) {
                #expect(try Answer(answer, statements: nil)["author"] == .null)
            }
        }
    }

    @Test(
        "conditions, orders and aggregates don't see what can't be read",
        arguments: [
            ("/api/posts?where=author.name=='Cem'", 0), ("/api/posts?where=author.name!='Cem'", 4),
            ("/api/posts?where=author==nil", 1), ("/api/posts?where=author!=nil", 3),
            ("/api/posts?where=ANY tags.name=='data'", 0), ("/api/posts?where=ANY tags.name=='core'", 2),
            ("/api/posts?where=tags.@count==1", 2), ("/api/posts?where=tags.@count==2", 0),
            ("/api/posts?where=ALL tags.name=='core'", 4),
            ("/api/posts?where=SUBQUERY(tags,$t,$t.name=='data').@count>0", 0),
            ("/api/posts?where=ANY pages.text=='two'", 1), ("/api/posts?where=pages.@count>0", 2),
            ("/api/posts?where=author.age.description=='51'", -1),
        ]
    )
    func oracles(_ target: String, _ count: Int) throws {
        try each { world throws in
            let post = try world.reference("Post", "Saving")
            let cem = try world.reference("User", "Cem")
            _ = try world.send(as: "editor", .patch, "/api/" + post, #"{"author": "\#(cem)"}"#)
            let answer = try world.send(as: Self.bea, .get, target)
            #expect(answer["items"]?.array?.count ?? -1 == count, "\(target): \(answer.text)")
        }
    }

    @Test("orders treat what can't be read as null")
    func orders() throws {
        try each { world throws in
            let post = try world.reference("Post", "Merging")
            let cem = try world.reference("User", "Cem")
            _ = try world.send(as: "editor", .patch, "/api/" + post, #"{"author": "\#(cem)"}"#)
            let titles = try world.list(as: Self.bea, "/api/posts?sort=author.name,views")
            #expect(titles == ["Merging", "Contexts", "Saving", "Élan"])
            let table = try world.send(
                as: Self.bea,
                .get,
                "/api/posts?result=dictionary&select=title,author.name&sort=-views"
            )
            #expect(table["items"]?.array?.map { $0["author.name"]?.string ?? "" } == ["Bea", "", "Anna", "Anna"])
            let names = try world.send(
                as: Self.bea,
                .get,
                "/api/posts?result=dictionary&aggregate=n:count(author.name)"
            )
            #expect(names["items"]?[0]?["n"] == 3, "\(names.text)")
        }
    }

    @Test("properties that can't be read don't exist")
    func properties() throws {
        try each { world throws in
            for target in [
                "/api/posts?where=rating>1", "/api/posts?sort=rating", "/api/posts?select=rating",
                "/api/posts?rating=1",
                "/api/posts?where=author.email=='x'", "/api/posts?result=dictionary&aggregate=m:max(rating)",
                "/api/posts?include=rating", "/api/posts?where=ANY author.posts.rating>1",
                "/api/users?where=note=='x'", "/api/users?sort=note",
            ] {
                let answer = try world.send(as: Self.anna, .get, target)
                #expect(answer.status == 400, "\(target): \(answer.text)")
                #expect(answer["hint"]?.string?.contains("rating") != true)
            }
            let post = try world.send(as: Self.anna, .get, "/api/posts?limit=1")["items"]?[0]
            #expect(post?["rating"] == nil && post?["title"] != nil)
            #expect(try world.send(as: "editor", .get, "/api/posts?sort=rating").status == 200)
            // Passwords are never shown.
            let user = try world.send(as: "editor", .get, "/api/users?limit=1")["items"]?[0]
            #expect(user?["email"] != nil && user?["note"] == nil)
        }
    }

    @Test("entities without rules don't exist")
    func entities() throws {
        try each { world throws in
            #expect(try world.send(as: nil, .get, "/api/users").status == 404)
            #expect(try world.send(as: nil, .get, "/api/posts?include=author").status == 400)
            #expect(try world.send(as: nil, .get, "/api/Group").status == 404)
            #expect(try world.send(as: "nothing", .get, "/api/posts").status == 404)
            let names = try world.send(as: nil, .get, "/api")["entities"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == ["Post", "Tag", "Comment"])
            let openAPI = try world.send(as: nil, .get, "/openapi.json").text
            #expect(openAPI.contains("Post") && !openAPI.contains("email") && !openAPI.contains("\"rating\""))
            let model = try world.send(as: nil, .get, "/api/model").text
            #expect(model.contains("title") && !model.contains("email") && !model.contains("\"rating\""))
            #expect(try world.send(as: nil, .get, "/schemas/User").status == 404)
        }
    }

    @Test("streams of lines and tables have only what can be read", arguments: ["application/x-ndjson", "text/csv"])
    func streams(_ type: String) throws {
        try each { world throws in
            let answer = try world.send(as: nil, .get, "/api/posts?sort=views&select=title", fields: [.accept: type])
            #expect(answer.text.contains("Saving") && !answer.text.contains("Faults"), "\(answer.text)")
        }
    }

    @Test("a list is unchanged only for the identity that has it")
    func tags() throws {
        try each { world throws in
            let first = try world.send(as: Self.anna, .get, "/api/comments")
            let tag = try #require(first.fields[.etag])
            #expect(try world.send(as: Self.anna, .get, "/api/comments", fields: [.ifNoneMatch: tag]).status == 304)
            // The rule depends on posts, which the request doesn't read.
            let post = "/api/" + (try world.reference("Post", "Faults"))
            #expect(try world.send(as: "editor", .patch, post, #"{"published": true}"#).status == 200)
            let second = try world.send(as: Self.anna, .get, "/api/comments", fields: [.ifNoneMatch: tag])
            #expect(second.status == 200 && second["items"]?.array?.count == 1)
            #expect(second.fields[.vary]?.contains("Authorization") == true)
            #expect(second.fields[.cacheControl]?.contains("private") == true)
        }
    }

    @Test(
        "a list that one identity has isn't unchanged for another",
        arguments: ["/api/posts", "/api/posts?result=count", "/api/posts?select=title", "/api/tags/1/posts"]
    )
    func tagsOfIdentities(_ target: String) throws {
        try each { world throws in
            let roles = [nil, Self.anna, Self.bea, "editor", "admin"]
            for role in roles {
                guard let tag = try world.send(as: role, .get, target).fields[.etag] else { continue }
                for other in roles where other != role {
                    let answer = try world.send(as: other, .get, target, fields: [.ifNoneMatch: tag])
                    #expect(answer.status == 200, "\(role ?? "anonymous") and \(other ?? "anonymous")")
                    // The second time, the target alone tells what the list depends on.
                    #expect(try world.send(as: other, .get, target, fields: [.ifNoneMatch: tag]).status == 200)
                }
                #expect(try world.send(as: role, .get, target, fields: [.ifNoneMatch: tag]).status == 304)
            }
        }
    }

    @Test(
        "administration is for roles that administer",
        arguments: [
            "/metrics", "/api/stats", "/api/history", "/api/posts?explain=true",
        ]
    )
    func administration(_ target: String) throws {
        try each { world throws in
            #expect(try world.send(as: "editor", .get, target).status == 403, "\(target)")
            #expect(try world.send(as: "admin", .get, target).status != 403)
            #expect(try world.send(as: nil, .get, "/healthz").status == 200)
            #expect(try world.send(as: nil, .get, "/readyz").status == 200)
        }
    }

    @Test("the history of an object is for those who can read it, without hidden properties")
    func history() throws {
        try each { world throws in
            let saving = "/api/" + (try world.reference("Post", "Saving"))
            let faults = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.send(as: "editor", .patch, saving, #"{"rating": 5, "score": 3}"#)
            _ = try world.send(as: "editor", .patch, faults, #"{"score": 3}"#)
            #expect(try world.send(as: nil, .get, faults + "/history").status == 404)
            let answer = try world.send(as: nil, .get, saving + "/history")
            guard answer.status != 501 else { return }
            let last = try #require(answer["transactions"]?.array?.last?["changes"]?[0])
            #expect(
                last["properties"]?.array?.contains("score") == true && !answer.text.contains("rating"),
                "\(answer.text)"
            )
            #expect(answer["transactions"]?.array?.last?["author"] == "editor")
            let token = try #require(answer["transactions"]?[0]?["token"]?.string)
            #expect(try world.send(as: nil, .get, "\(faults)?asOf=\(token)").status == 404)
            #expect(try world.send(as: nil, .get, "\(saving)?asOf=\(token)&select=title")["title"] == "Saving")
            let gone = try world.send(as: nil, .get, "\(saving)?asOf=\(token)")
            #expect(gone.status == 410 && !gone.text.contains("rating"), "\(gone.text)")
        }
    }

    @Test("a credential that isn't valid is refused, also where none would do")
    func credentials() throws {
        try each { world throws in
            let answer = try world.send(.get, "/api/posts", fields: [.authorization: "Bearer"])
            #expect(answer.status == 401 && answer["code"] == "unauthenticated")
            #expect(answer.fields[.wwwAuthenticate] == "Bearer")
            #expect(try world.send(.get, "/healthz", fields: [.authorization: "Bearer"]).status == 200)
            // The password of Basic authentication may be a key. Pages would get a dialog for their own requests.
            let basic: HeaderFields = [.authorization: "Basic bWU6eA=="]
            let both = #"Bearer, Basic realm="outcrop", charset="UTF-8""#
            #expect(try world.send(.get, "/api/posts", fields: basic).fields[.wwwAuthenticate] == both)
            for (mode, challenge) in [("navigate", both), ("cors", "Bearer")] {
                var fields = basic
                fields["Sec-Fetch-Mode"] = mode
                #expect(try world.send(.get, "/api/posts", fields: fields).fields[.wwwAuthenticate] == challenge)
            }
        }
    }

    @Test(
        "a value that an identity doesn't have permits nothing, also negated",
        arguments: [
            "author == $USER", "NOT author == $USER", "author != $USER", "NOT (author == $USER OR views > 1000)",
            "views == $CLAIMS.level", "NOT views == $CLAIMS.level", "NOT (NOT author == $USER)",
            "$CLAIMS.level IN {views}",
            "SUBQUERY(tags, $t, $t.name == $CLAIMS.tag).@count == 0",
            "NOT SUBQUERY(tags, $t, $t.name == $CLAIMS.tag).@count > 0",
            "TERNARY(author == $USER, 1, 2) == 2", "NONE tags.name == $CLAIMS.tag", "ALL tags.name != $CLAIMS.tag",
            "author.name BEGINSWITH $CLAIMS.name", "NOT author.age BETWEEN {$CLAIMS.low, 100}",
        ]
    )
    func missingValues(_ condition: String) throws {
        let access = """
            {
              "identity": {"accounts": {"entity": "User", "name": "email", "password": "note"}},
              "roles": {"a": {}, "admin": {"administers": true}},
              "rules": {"Post": {"read": {"a": "\(condition)"}}, "Tag": {"read": {"a": "$USER == nil"}},
                "Page": {"read": {"a": "$USER != nil"}}}
            }
            """
        try APIWorld.each(access: access) { world throws in
            #expect(try world.list(as: "a", "/api/posts").isEmpty)
            #expect(try world.list(as: "a", "/api/tags", "name").count == 3)
            #expect(try world.list(as: "a", "/api/pages", "text").isEmpty)
        }
    }

    @Test("preflights and pages need no credential")
    func preflights() throws {
        var options = APIOptions()
        options.allowedOrigins = [AllowedOrigin("https://app.example")].compactMap(\.self)
        let access = #"{"roles": {"a": {}}, "rules": {"Post": {"read": {"a": true}}}}"#
        try APIWorld.each(options: options, access: access) { world throws in
            let preflight = try world.send(
                .options,
                "/api/posts",
                fields: [.origin: "https://app.example", "Access-Control-Request-Method": "GET"]
            )
            #expect(preflight.status == 204, "\(preflight.text)")
            #expect(try world.get("/nothing.html").status == 404)
            #expect(try world.get("/api/posts").status == 401)
            #expect(try world.get("/api/nothing").status == 401)
        }
    }

    @Test("an administrator acts as a role")
    func acting() throws {
        try each { world throws in
            #expect(
                try world.send(as: "admin", .get, "/api/posts", fields: ["Act-As": "role=reader"])["items"]?.array?
                    .count == 3
            )
            #expect(try world.send(as: "editor", .get, "/api/posts", fields: ["Act-As": "role=reader"]).status == 403)
            #expect(try world.send(as: "admin", .get, "/api/posts", fields: ["Act-As": "role=other"]).status == 400)
        }
    }
}
