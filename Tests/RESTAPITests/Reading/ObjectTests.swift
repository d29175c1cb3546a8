// SPDX-License-Identifier: Apache-2.0

// One object.

import HTTPMessage
import JSON
import Testing

@Suite("One object")
struct ObjectTests {
    @Test("has its reference, its entity and its version first, then its attributes and references to one")
    func shape() throws {
        try APIWorld.each { world throws in
            let reference = try world.reference("Post", "Faults")
            let answer = try world.get("/api/\(reference)")
            #expect(answer.status == 200)
            #expect(answer.fields[.etag]?.hasPrefix("\"1-") == true)
            #expect(
                answer.text == """
                    {"_id":"\(reference)","_entity":"Post","_version":1,"title":"Faults","views":10,"published":false,\
                    "createdAt":"2026-05-10T06:13:20.25Z","price":null,"rating":null,"score":null,"uuid":null,\
                    "link":null,"extra":null,"picture":null,"__hidden":null,"foldedTitle":"faults","commentCount":1,\
                    "author":"\(try world.reference("User", "Anna"))"}
                    """
            )
        }
    }

    @Test("is had by its entity's name, by its alias, and by the entity above")
    func paths() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let key = anna.split(separator: "/")[1]
            for entity in ["User", "users", "Contact"] {
                #expect(try world.get("/api/\(entity)/\(key)")["_id"]?.string == anna)
            }
            #expect(try world.get("/api/Group/\(key)").status == 404)
        }
    }

    @Test("that isn't there is 404, and so is an entity that isn't, with the nearest name")
    func missing() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts/99")
            #expect(answer.status == 404)
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(answer["code"]?.string == "not-found")
            #expect(answer["detail"]?.string == "There is no Post “99”.")
            #expect(try world.get("/api/post/1")["hint"]?.string == "Did you mean “Post”?")
            #expect(try world.get("/api/posts/abc").status == 404)
            #expect(try world.get("/api/posts/9223372036854775808").status == 404)
        }
    }

    @Test("takes one statement, and none when its row is in the cache")
    func statements() throws {
        try APIWorld.each { world throws in
            _ = try world.get("/api/posts/3")
            let answer = try world.get("/api/posts/3")
            #expect(answer.statements ?? 0 == 0)
        }
    }

    @Test("is not to be had by a wrong method, which is told what is allowed")
    func methods() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/1")
            #expect(answer.status == 405)
            #expect(answer.fields[.allow] == "GET, HEAD, PATCH, PUT, DELETE, OPTIONS")
            #expect(try world.send(.options, "/api/posts/1").status == 204)
        }
    }

    @Test("has a path without a slash at its end, to which others are redirected")
    func slash() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts/1/?select=title")
            #expect(answer.status == 308)
            #expect(answer.fields[.location] == "/api/posts/1?select=title")
        }
    }
}
