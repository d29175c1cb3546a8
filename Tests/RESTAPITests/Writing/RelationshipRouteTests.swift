// SPDX-License-Identifier: Apache-2.0

// Relationships with paths of their own.

import HTTPMessage
import JSON
import Testing

@Suite("Relationship routes")
struct RelationshipRouteTests {
    @Test("PUT sets or clears a to-one relationship and returns the owner")
    func toOne() throws {
        try APIWorld.each { world throws in
            let (post, cem) = (try world.reference("Post", "Faults"), try world.reference("User", "Cem"))
            for body in ["{\"_id\":\"\(cem)\"}", "\"\(cem)\""] {
                let answer = try world.send(.put, "/api/\(post)/author", body)
                #expect(answer.status == 200)
                #expect(answer["_id"]?.string == post)
                #expect(answer["author"]?.string == cem)
            }
            #expect(try world.send(.put, "/api/\(post)/author", "null")["author"] == .null)
            #expect(try world.send(.put, "/api/\(post)/author", "\"users/999\"").status == 422)
            #expect(try world.send(.put, "/api/posts/999/author", "null").status == 404)
            let made = try world.send(.put, "/api/\(post)/author", "{\"name\":\"Dora\"}")
            #expect(made.status == 200)
            #expect(made["author"] != .null)
        }
    }

    @Test("errors of a new object that is the whole body are reported under its entity")
    func nestedErrors() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let answer = try world.send(.put, "/api/\(post)/author", "{\"name\":\"\",\"age\":200}")
            #expect(answer.status == 422)
            #expect(answer["errors"]?.array?.map { $0["object"] } == ["users", "users"])
            let unknown = try world.send(.put, "/api/\(post)/author", "{\"nam\":\"x\"}")
            #expect(unknown["errors"]?[0]?["object"] == "users")
            let made = try world.send(.post, "/api/\(post)/tags", "{\"name\":\"core\"}")
            #expect(made["errors"]?[0]?["object"] == "tags")
        }
    }

    @Test("PUT replaces a to-many relationship, in order")
    func toMany() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let tags = try ["swift", "core"].map { try world.reference("Tag", $0) }
            let answer = try world.send(.put, "/api/\(post)/tags", "[\"\(tags[0])\",{\"_id\":\"\(tags[1])\"}]")
            #expect(answer.status == 200)
            #expect(answer["_id"]?.string == post)
            #expect(try world.names("Post", "Saving", "tags", "name") == ["core", "swift"])
            let (one, two) = (try world.reference("Page", "one"), try world.reference("Page", "two"))
            _ = try world.send(.put, "/api/\(post)/pages", "[\"\(two)\",\"\(one)\"]")
            #expect(try world.names("Post", "Saving", "pages", "text") == ["two", "one"])
            #expect(try world.send(.put, "/api/\(post)/tags", "{\"add\":[]}").status == 422)
        }
    }

    @Test("POST to a to-many relationship creates and adds an object, and returns 201 and the object")
    func making() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Contexts")
            let answer = try world.send(.post, "/api/\(post)/tags", "{\"name\":\"made\"}")
            #expect(answer.status == 201)
            #expect(answer["_entity"] == "Tag")
            #expect(answer.fields[.location] == "/api/\(answer["_id"]?.string ?? "")")
            #expect(try world.names("Post", "Contexts", "tags", "name") == ["made"])
            let named = try world.send(.post, "/api/\(post)/pages", "{\"_id\":\"$p\",\"text\":\"t\"}")
            #expect(named.status == 201)
            #expect(named["post"]?.string == post)
            #expect(named["_ids"]?["$p"] == named["_id"])
            let wrong = try world.send(.post, "/api/\(post)/tags", "{\"nam\":\"made\"}")
            #expect(wrong.status == 422)
            #expect(wrong.messages == ["Tag has no property “nam”. Did you mean “name”?", "name needs a value."])
        }
    }

    @Test("POST of references adds them to a to-many relationship, and returns 200 and the owner")
    func adding() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let tags = try ["swift", "core"].map { try world.reference("Tag", $0) }
            let answer = try world.send(.post, "/api/\(post)/tags", "[\"\(tags[0])\",\"\(tags[1])\"]")
            #expect(answer.status == 200)
            #expect(answer["_id"]?.string == post)
            #expect(try world.names("Post", "Faults", "tags", "name") == ["core", "swift"])
        }
    }

    @Test("PUT and DELETE add and remove a member, and PUT sets its position if there is an order")
    func members() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let key = { (reference: String) in String(reference.split(separator: "/")[1]) }
            let swift = key(try world.reference("Tag", "swift"))
            #expect(try world.send(.put, "/api/\(post)/tags/\(swift)").status == 200)
            #expect(try world.send(.put, "/api/\(post)/tags/\(swift)").status == 200)
            #expect(try world.names("Post", "Saving", "tags", "name") == ["core", "data", "swift"])
            #expect(try world.send(.delete, "/api/\(post)/tags/\(swift)")["_id"]?.string == post)
            #expect(try world.names("Post", "Saving", "tags", "name") == ["core", "data"])
            #expect(try world.send(.delete, "/api/\(post)/tags/\(swift)").status == 404)
            #expect(try world.send(.put, "/api/\(post)/tags/999").status == 404)
            #expect(try world.send(.delete, "/api/\(post)/tags/999").status == 404)
            #expect(try world.send(.put, "/api/\(post)/tags/\(swift)?at=0").status == 400)
            let made = key(try #require(try world.send(.post, "/api/pages", "{\"text\":\"x\"}")["_id"]?.string))
            #expect(try world.send(.put, "/api/\(post)/pages/\(made)?at=0").status == 200)
            #expect(try world.names("Post", "Saving", "pages", "text") == ["x", "one", "two"])
            #expect(try world.send(.put, "/api/\(post)/pages/\(made)?at=2").status == 200)
            #expect(try world.names("Post", "Saving", "pages", "text") == ["one", "two", "x"])
            #expect(try world.send(.put, "/api/\(post)/pages/\(made)?at=3").status == 400)
            #expect(try world.send(.delete, "/api/\(post)/pages/\(made)").status == 200)
            #expect(try world.names("Post", "Saving", "pages", "text") == ["one", "two"])
            #expect(try world.send(.put, "/api/\(post)/tags/\(swift)?dryRun=true").status == 200)
            #expect(try world.names("Post", "Saving", "tags", "name") == ["core", "data"])
        }
    }
}
