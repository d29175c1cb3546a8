// SPDX-License-Identifier: Apache-2.0

// Reading one object.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

@Suite("Objects")
struct ObjectTests {
    @Test("an object is written in a list, in lines, and after a cursor as it is alone")
    func sameInLists() throws {
        try APIWorld.each { world throws in
            for resource in world.api.catalogue.resources where resource.entity.entity.parentName == nil {
                let path = "/api/\(resource.path)"
                let items = try #require(try world.get("\(path)?limit=500")["items"]?.array)
                for item in items {
                    let reference = try #require(item["_id"]?.string)
                    #expect(try world.get("/api/\(reference)").text == item.serialized())
                }
                let lines = try world.get(path, [.accept: "application/x-ndjson"]).text
                #expect(lines.split(separator: "\n").map(String.init) == items.map { $0.serialized() })
                var paged: [JSONValue] = []
                var next: String? = "\(path)?limit=2"
                while let target = next {
                    let page = try world.get(target)
                    paged += page["items"]?.array ?? []
                    next = page["next"]?.string
                }
                #expect(paged == items)
            }
        }
    }

    @Test("an object has its reference, entity and version first, then attributes and to-one references")
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

    @Test("an object is found through its entity's name, alias and parent entity")
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

    @Test("a missing object and an unknown entity are 404, with the nearest name as a hint")
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

    @Test("reading a cached object runs no statement")
    func statements() throws {
        try APIWorld.each { world throws in
            _ = try world.get("/api/posts/3")
            let answer = try world.get("/api/posts/3")
            #expect(answer.statements ?? 0 == 0)
        }
    }

    @Test("a wrong method on an object is refused with the allowed ones")
    func methods() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/1")
            #expect(answer.status == 405)
            #expect(answer.fields[.allow] == "GET, HEAD, PATCH, PUT, DELETE, OPTIONS")
            #expect(try world.send(.options, "/api/posts/1").status == 204)
        }
    }

    @Test("an object's path with a final slash is redirected")
    func slash() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts/1/?select=title")
            #expect(answer.status == 308)
            #expect(answer.fields[.location] == "/api/posts/1?select=title")
        }
    }
}
