// SPDX-License-Identifier: Apache-2.0

// Objects that are deleted while references to them are created.

import Dispatch
import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("References to objects deleted concurrently")
struct ReferenceRaceTests {
    @Test("concurrent creations and deletions never leave a dangling reference")
    func races() throws {
        try APIWorld.each { world throws in
            for _ in 0..<5 {
                let post = try #require(try world.send(.post, "/api/posts", "{}")["_id"]?.string)
                let comment = "{\"text\":\"Race\",\"post\":\"\(post)\"}"
                DispatchQueue.concurrentPerform(iterations: 3) { number in
                    for _ in 0..<4 {
                        if number == 0 {
                            _ = try? world.send(.delete, "/api/\(post)")
                        } else {
                            let status = try? world.send(.post, "/api/comments", comment).status
                            #expect(status == 201 || status == 422)
                        }
                    }
                }
                #expect(try world.get("/api/\(post)").status == 404)
                #expect(try world.get("/api/comments?text=Race&result=count")["count"] == 0)
            }
        }
    }

    @Test("a context that references a deleted object isn't saved, and the reference is reported")
    func contexts() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            let post = try world.reference("Post", "Faults")
            #expect(try world.get("\(context)/\(post)").status == 200)
            let comment = try world.send(.post, "\(context)/comments", "{\"text\":\"Late\",\"post\":\"\(post)\"}")
            #expect(comment.status == 201)
            #expect(try world.send(.delete, "/api/\(post)").status == 204)
            let validation = try world.send(.post, "\(context)/validate")
            #expect(validation["valid"] == false)
            #expect(validation["errors"]?[0]?["code"] == "reference")
            let answer = try world.send(.post, "\(context)/save")
            #expect(answer.status == 422)
            let error = answer["errors"]?[0]
            #expect(error?["property"] == "post")
            #expect(error?["code"] == "reference")
            #expect(error?["message"]?.string == "\(post) no longer exists.")
            #expect(try world.get("/api/comments?text=Late&result=count")["count"] == 0)
            // The reference can be changed to another post.
            let other = try world.reference("Post", "Undo")
            let name = try #require(comment["_id"]?.string)
            #expect(try world.send(.patch, "\(context)/\(name)", "{\"post\":\"\(other)\"}").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/comments?text=Late&post=\(other)&result=count")["count"] == 1)
        }
    }
}
