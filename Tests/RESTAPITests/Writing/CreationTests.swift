// SPDX-License-Identifier: Apache-2.0

// Creating objects: one, several and nested ones.

import HTTPMessage
import JSON
import Testing

@Suite("Creating objects")
struct CreationTests {
    @Test("an object nested in a relationship keeps its owner in addition to the members it lists")
    func listedOwners() throws {
        try APIWorld.each { world throws in
            let comment = try world.send(
                .post,
                "/api/comments",
                #"{"text":"a","post":{"title":"New","comments":[{"text":"b"}]}}"#
            )
            #expect(comment.status == 201, "\(comment.text)")
            let post = try #require(comment["post"]?["_id"]?.string)
            // The answer shows what was nested, and the owner only once.
            let shown = comment["post"]?["comments"]?.array ?? []
            #expect(shown.compactMap { $0["text"]?.string }.sorted() == ["a", "b"])
            #expect(shown.allSatisfy { $0["post"]?.string == post })
            #expect(try world.get("/api/\(post)/comments?sort=text").list == "a b")
            let page = try world.send(.post, "/api/pages", #"{"text":"a","post":{"pages":[{"text":"b"}]}}"#)
            let owner = try #require(page["post"]?["_id"]?.string, "\(page.text)")
            #expect(try world.get("/api/\(owner)/pages").list == "b a")
            let other = try world.post("Undo")
            let body = "{\"title\":\"Tagged\",\"tags\":[{\"name\":\"new\",\"posts\":[\"\(other)\"]}]}"
            let tagged = try #require(try world.send(.post, "/api/posts", body)["_id"]?.string)
            #expect(try world.get("/api/\(tagged)/tags").list == "new")
            #expect(try world.get("/api/\(other)/tags?name=new").list == "new")
            let text = try #require(comment["_id"]?.string)
            let refused = try world.send(
                .patch,
                "/api/\(text)",
                "{\"post\":{\"_id\":\"\(other)\",\"comments\":[{\"text\":\"c\"}]}}"
            )
            #expect(refused.status == 422, "\(refused.text)")
            #expect(refused.text.contains("comments"))
        }
    }

    @Test("the answer to a creation shows nested objects as if they were included, at any depth")
    func nestedAnswer() throws {
        try APIWorld.each { world throws in
            let tag = try world.tag("core")
            let body = """
                {"title":"Nested","tags":[{"name":"new"},"\(tag)"],"author":{"name":"Dora","groups":[{"name":"Readers"}]}}
                """
            let answer = try world.send(.post, "/api/posts", body)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer["tags"]?.array?.compactMap { $0["name"]?.string }.sorted() == ["core", "new"])
            #expect(answer["author"]?["name"] == "Dora")
            #expect(answer["author"]?["groups"]?[0]?["name"] == "Readers")
            let path = try "/api/" + #require(answer["_id"]?.string)
            let included = try world.get(path + "?include=tags(sort=_id),author.groups")
            #expect(included["author"] == answer["author"])
            let byID = { (json: JSONValue?) in Set(json?.array?.map { $0.serialized() } ?? []) }
            #expect(byID(included["tags"]) == byID(answer["tags"]))
            // The tag is that of the object alone.
            #expect(try world.get(path).fields[.etag] == answer.fields[.etag])
            let several = try world.send(
                .post,
                "/api/posts",
                "[{\"title\":\"A\",\"pages\":[{\"text\":\"one\"}]},{\"title\":\"B\"}]"
            )
            #expect(several["items"]?[0]?["pages"]?[0]?["text"] == "one")
            #expect(several["items"]?[1]?["pages"] == nil)
            let dry = try world.send(
                .post,
                "/api/posts?dryRun=true",
                "{\"title\":\"C\",\"pages\":[{\"text\":\"two\"}]}"
            )
            #expect(dry["pages"]?[0]?["text"] == "two", "\(dry.text)")
            let plain = try world.send(.post, "/api/posts", "{\"title\":\"D\",\"tags\":[\"\(tag)\"]}")
            #expect(plain.status == 201 && plain["tags"] == nil)
            let changed = try world.send(.patch, path, "{\"tags\":{\"add\":[{\"name\":\"newer\"}]}}")
            #expect(changed.status == 200 && changed["tags"] == nil)
        }
    }

    @Test("a repeated creation with a key has the same answer, with its nested objects")
    func repeatedNestedAnswer() throws {
        try APIWorld.each { world throws in
            let body = "{\"title\":\"Once\",\"pages\":[{\"text\":\"one\"}]}"
            let fields: HeaderFields = ["Idempotency-Key": "nested"]
            let first = try world.send(.post, "/api/posts", body, fields: fields)
            #expect(first.status == 201 && first["pages"]?[0]?["text"] == "one", "\(first.text)")
            #expect(first["pages"]?[0]?["_id"]?.string?.hasPrefix("pages/") == true)
            #expect(try world.send(.post, "/api/posts", body, fields: fields).text == first.text)
        }
    }

    @Test("a date without a time is midnight UTC")
    func days() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts", "{\"title\":\"Day\",\"createdAt\":\"2026-01-31\"}")
            #expect(answer["createdAt"] == "2026-01-31T00:00:00Z", "\(answer.text)")
            for wrong in ["2026-02-30", "2026-1-31", "31.01.2026", "2026-01-31T10:00"] {
                let refused = try world.send(.post, "/api/posts", "{\"title\":\"Day\",\"createdAt\":\"\(wrong)\"}")
                #expect(refused.status == 422, "\(wrong)")
                #expect(refused.text.contains("a date such as 2026-11-21T09:30:00.25Z or 2026-11-21"))
            }
        }
    }

    @Test("a creation sets given attributes and defaults, and returns 201, the object and its location")
    func one() throws {
        try APIWorld.each { world throws in
            let body = """
                {"title":"New","views":9223372036854775807,"price":"19.90","rating":0.1,"score":1e-3,"published":true,\
                "createdAt":"2026-11-21T10:30:00.25+01:00","uuid":"0D9F1C3E-6C3A-4BD3-8F6F-2F1D6D1E7A10",\
                "link":"https://example.org/a?b","extra":{"a":[1,null]},"picture":"AAEC","__hidden":"h"}
                """
            let answer = try world.send(.post, "/api/posts", body)
            #expect(answer.status == 201)
            let id = try #require(answer["_id"]?.string)
            #expect(answer.fields[.location] == "/api/\(id)")
            #expect(try answer.fields[.etag] == world.get("/api/\(id)").fields[.etag])
            #expect(answer["_entity"] == "Post")
            #expect(answer["views"]?.int64 == .max)
            #expect(answer["price"] == "19.9")
            #expect(answer["createdAt"] == "2026-11-21T09:30:00.25Z")
            #expect(answer["uuid"] == "0d9f1c3e-6c3a-4bd3-8f6f-2f1d6d1e7a10")
            #expect(answer["extra"] == ["a": [1, nil]])
            #expect(answer["picture"]?["bytes"] == 3)
            #expect(answer["foldedTitle"] == "new")
            #expect(answer["author"] == .null)
            #expect(try world.get("/api/\(id)").text == answer.text)
            let bare = try world.send(.post, "/api/posts", "{}")
            #expect(bare["title"] == "Untitled")
            #expect(bare["views"] == 0)
        }
    }

    @Test("an array of objects is created in one save, and returned in order")
    func several() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/tags", "[{\"name\":\"x\"},{\"name\":\"y\"},{\"name\":\"z\"}]")
            #expect(answer.status == 201)
            #expect(answer["items"]?.array?.map { $0["name"] } == ["x", "y", "z"])
            #expect(answer.fields[.location] == nil)
            let empty = try world.send(.post, "/api/tags", "[]")
            #expect(empty.status == 200)
            #expect(empty.text == "{\"items\":[]}")
            let wrong = try world.send(.post, "/api/tags", "[{\"name\":\"v\"},{}]")
            #expect(wrong.status == 422)
            #expect(wrong["errors"]?[0]?["object"] == "/1")
            #expect(try world.count("Tag") == 6)
        }
    }

    @Test("nested objects are created in the same save, and referenced ones are updated")
    func nested() throws {
        try APIWorld.each { world throws in
            let tag = try world.reference("Tag", "core")
            let body = """
                {"title":"Deep","author":{"name":"Dora","groups":[{"name":"Readers"}]},
                 "tags":["\(tag)",{"name":"new"},{"_id":"\(tag)","name":"kernel"}],"pages":[{"text":"1"},{"text":"2"}]}
                """
            let answer = try world.send(.post, "/api/posts", body)
            #expect(answer.status == 201)
            let author = try #require(answer["author"]?["_id"]?.string)
            #expect(try world.get("/api/\(author)")["name"] == "Dora")
            #expect(try world.get("/api/\(tag)")["name"] == "kernel")
            #expect(try world.names("Post", "Deep", "tags", "name") == ["kernel", "new"])
            #expect(try world.names("Post", "Deep", "pages", "text") == ["1", "2"])
            #expect(try world.count("Group") == 2)
        }
    }

    @Test("temporary names allow cycles and forward references, and the response resolves them")
    func cycles() throws {
        try APIWorld.each { world throws in
            let body = """
                {"title":"Own","author":"$a","comments":[{"text":"x","author":{"_id":"$a"},"post":"$p"}],"_id":"$p",
                 "tags":[{"_id":"$t","name":"cyclic","posts":["$p"]}],
                 "pages":[{"text":"a","post":"$p"},{"post":{"_id":"$p"}}]}
                """
            let wrong = try world.send(.post, "/api/posts", body)
            #expect(wrong["errors"]?[0]?["object"] == "$a")
            let complete = body.replacing(
                "\"author\":{\"_id\":\"$a\"}",
                with: "\"author\":{\"_id\":\"$a\",\"name\":\"Eve\"}"
            )
            let done = try world.send(.post, "/api/posts", complete)
            #expect(done.status == 201)
            let ids = try #require(done["_ids"]?.object)
            #expect(ids.names == ["$a", "$p", "$t"])
            #expect(ids["$p"] == done["_id"])
            #expect(ids["$a"] == done["author"])
        }
    }

    @Test("all errors of a body are reported at once, with object, property, code and message")
    func findings() throws {
        try APIWorld.each { world throws in
            let body = """
                {"titel":"x","views":"1","published":1,"foldedTitle":"x","commentCount":1,"draft":"x","others":[],
                 "author":"users/999","tags":["posts/1","nonsense","$x",5],"pages":{"ad":[]},"_entity":"Tag","_version":1,
                 "comments":[{"text":5,"author":{"nam":"x"}}],"_id":"posts/1"}
                """
            let answer = try world.send(.post, "/api/posts", body)
            #expect(answer.status == 422)
            #expect(answer["code"] == "validation")
            let errors = try #require(answer["errors"]?.array)
            #expect(
                errors.map {
                    "\($0["object"]?.string ?? "") \($0["property"]?.string ?? "") \($0["code"]?.string ?? "")"
                }
                    == [
                        "posts _id identity", "posts _entity identity", "posts _version identity",
                        "posts titel unknown",
                        "posts views type", "posts published type", "posts foldedTitle read-only",
                        "posts commentCount read-only", "posts draft read-only", "posts others read-only",
                        "posts tags reference", "posts tags reference", "posts tags type", "posts pages unknown",
                        "/comments/0 text type", "/comments/0/author nam unknown", "posts tags reference",
                        "posts author reference", "/comments/0/author name required",
                    ]
            )
            #expect(errors[3]["message"] == "Post has no property “titel”. Did you mean “title”?")
            #expect(errors[4]["pointer"] == "/views")
            #expect(errors[4]["line"] == 1)
            #expect(answer["detail"] == "19 values are invalid.")
        }
    }

    @Test("errors of reading and of validation are reported together, and once per value")
    func everything() throws {
        try APIWorld.each { world throws in
            let tag = try world.send(.post, "/api/tags", "{\"nam\":\"x\",\"posts\":[\"posts/999\"]}")
            #expect(tag.status == 422)
            #expect(tag["errors"]?.array?.map { $0["property"]?.string } == ["nam", "posts", "name"])
            let post = try world.send(
                .post,
                "/api/posts",
                "{\"title\":\"\",\"views\":-1,\"published\":\"no\",\"titel\":1,\"author\":\"users/999\",\"comments\":[{\"text\":5}]}"
            )
            #expect(
                post["errors"]?.array?.map { "\($0["object"]?.string ?? "") \($0["property"]?.string ?? "")" } == [
                    "posts published", "posts titel", "/comments/0 text", "posts author", "posts title", "posts views",
                ]
            )
            #expect(post["detail"] == "6 values are invalid.")
            let several = try world.send(.post, "/api/tags", "[{},5,{\"name\":\"x\"}]")
            #expect(several["errors"]?.array?.map { $0["object"]?.string } == ["/1", "/0"])
            #expect(try world.get("/api/tags?count=true&limit=0")["total"] == 3)
        }
    }

    @Test("a nested object that names another owner is refused")
    func owners() throws {
        try APIWorld.each { world throws in
            let (faults, undo) = (try world.reference("Post", "Faults"), try world.reference("Post", "Undo"))
            let body = "{\"text\":\"Hm.\",\"post\":\"\(undo)\"}"
            let answer = try world.send(.post, "/api/\(faults)/comments", body)
            #expect(answer.status == 422)
            #expect(
                answer.messages.first?.hasPrefix("It is added to comments of \(faults), but its own “post” is \(undo).")
                    == true
            )
            #expect(answer["errors"]?[0]?["property"] == "post")
            let same = "{\"text\":\"Hm.\",\"post\":\"\(faults)\"}"
            #expect(try world.send(.post, "/api/\(faults)/comments", same).status == 201)
            for author in ["null", "\"users/2\"", "{\"name\":\"B\"}"] {
                let body = "{\"name\":\"A\",\"posts\":[{\"author\":\(author)}]}"
                #expect(try world.send(.post, "/api/users", body).status == 422)
            }
            let cycle = "{\"_id\":\"$a\",\"name\":\"A\",\"posts\":[{\"author\":\"$a\"}]}"
            #expect(try world.send(.post, "/api/users", cycle).status == 201)
        }
    }

    @Test("dangling references, and references to other entities, are refused by name")
    func references() throws {
        try APIWorld.each { world throws in
            let group = try world.reference("Group", "Writers")
            let contact = group.replacing("Group", with: "Contact")
            let answer = try world.send(
                .post,
                "/api/posts",
                "{\"author\":\"\(contact)\",\"tags\":[\"tags/999\"],\"comments\":[{\"_id\":\"comments/77\",\"text\":\"x\"}]}"
            )
            #expect(answer.status == 422)
            #expect(
                answer.messages == [
                    "There is no object comments/77.", "There is no object tags/999.",
                    "It is a Group, but a User is expected.",
                ]
            )
            let wrong = try world.send(.post, "/api/posts", "{\"author\":\"\(contact)\"}")
            #expect(wrong.messages == ["It is a Group, but a User is expected."])
            let other = try world.send(.post, "/api/posts", "{\"author\":\"tags/1\"}")
            #expect(other.messages == ["tags/1 is a Tag, but a User is expected."])
            #expect(try world.count("Post") == 6)
        }
    }

    @Test("a reference can be a URI, an object with _id, or an API path")
    func forms() throws {
        try APIWorld.each { world throws in
            let user = try world.reference("User", "Anna")
            let uri = try world.uri("User", "Anna")
            for reference in ["\"\(user)\"", "{\"_id\":\"\(user)\"}", "\"/api/\(user)\"", "\"\(uri)\""] {
                let answer = try world.send(.post, "/api/posts", "{\"author\":\(reference)}")
                #expect(answer.status == 201)
                #expect(answer["author"]?.string == user)
            }
        }
    }

    @Test("creating an abstract entity's object is refused with its subentities as a hint")
    func abstract() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/Contact", "{\"name\":\"x\"}")
            #expect(answer.status == 422)
            #expect(answer["errors"]?[0]?["code"] == "abstract")
            #expect(answer["hint"] == "POST to /api/users or /api/Group.")
        }
    }

    @Test("all validation errors are reported at once, by reference or temporary name")
    func validation() throws {
        try APIWorld.each { world throws in
            let user = try world.reference("User", "Anna")
            let long = String(repeating: "é", count: 101)
            let answer = try world.send(
                .post,
                "/api/posts",
                """
                {"title":"\(long)","views":-1,"author":{"_id":"\(user)","age":151},
                 "comments":[{"_id":"$c"}],"tags":[{}]}
                """
            )
            #expect(answer.status == 422)
            let errors = try #require(answer["errors"]?.array)
            let found = errors.map {
                "\($0["object"]?.string ?? "") \($0["property"]?.string ?? "") \($0["code"]?.string ?? "")"
            }
            #expect(
                Set(found) == [
                    "posts title too-long", "posts views too-small", "\(user) age too-large", "$c text required",
                    "/tags/0 name required",
                ]
            )
            #expect(errors.first { $0["property"] == "views" }?["value"] == -1)
            #expect(errors.first { $0["property"] == "views" }?["pointer"] == "/views")
            #expect(try world.count("Post") == 6)
        }
    }

    @Test("text lengths are counted in UTF-16 units")
    func lengths() throws {
        try APIWorld.each { world throws in
            let faces = String(repeating: "😀", count: 50)
            #expect(try world.send(.post, "/api/posts", "{\"title\":\"\(faces)\"}").status == 201)
            #expect(try world.send(.post, "/api/posts", "{\"title\":\"\(faces)x\"}").status == 422)
        }
    }

    @Test("the response to a creation has the preferred extent")
    func preferences() throws {
        try APIWorld.each { world throws in
            let minimal = try world.send(.post, "/api/tags", "{\"name\":\"m\"}", fields: [.prefer: "return=minimal"])
            #expect(minimal.status == 201)
            #expect(minimal.bytes.isEmpty)
            #expect(minimal.fields[.location]?.hasPrefix("/api/tags/") == true)
            #expect(minimal.fields[.preferenceApplied] == "return=minimal")
            let user = try world.reference("User", "Anna")
            let changes = try world.send(
                .post,
                "/api/posts",
                "{\"author\":\"\(user)\",\"pages\":[{}]}",
                fields: [.prefer: "return=changes"]
            )
            #expect(changes.status == 201)
            #expect(changes.fields[.preferenceApplied] == "return=changes")
            let changed = try #require(changes["_changed"]?.array)
            #expect(changed.map { $0["change"] } == ["inserted", "updated"])
            #expect(changed.map { $0["_entity"] } == ["Page", "User"])
            #expect(changed.map { $0["_version"]?.int64 } == [1, 1])
            #expect(changed[1]["_id"]?.string == user)
        }
    }

    @Test("a form body gets a hint to curl --json, and malformed JSON its position")
    func bodies() throws {
        try APIWorld.each { world throws in
            let form = try world.send(
                .post,
                "/api/tags",
                "name=x",
                fields: [.contentType: "application/x-www-form-urlencoded"]
            )
            #expect(form.status == 415)
            #expect(form["hint"]?.string?.contains("--json") == true)
            let broken = try world.send(.post, "/api/tags", "{\"name\":\n \"x\"")
            #expect(broken.status == 400)
            #expect(broken["line"] == 2)
            #expect(try world.send(.post, "/api/tags", "5").status == 422)
            #expect(try world.send(.post, "/api/tags?dryrun=true", "{}")["hint"] == "Did you mean “dryRun”?")
        }
    }
}
