// SPDX-License-Identifier: Apache-2.0

// Work that is stopped early.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Work limits")
struct LimitTests {
    @Test("a request is stopped at its deadline with 503 and Retry-After")
    func deadline() throws {
        var options = APIOptions()
        options.deadline = .zero
        try APIWorld.each(options: options) { world throws in
            let answer = try world.get("/api/posts")
            #expect(answer.status == 503)
            #expect(answer["code"]?.string == "deadline")
            #expect(answer.fields[.retryAfter] == "1")
            #expect(try world.send(.put, "/api/posts/1/picture", body: .bytes([1])).status != 204)
        }
    }

    @Test("time spent in the queue counts toward the deadline, and the refusal says overload")
    func queued() throws {
        var options = APIOptions()
        options.deadline = .seconds(3_600)
        try APIWorld.each(options: options) { world throws in
            var request = HTTPRequest(.get, "/api/posts")
            request.queued = .seconds(1_800)
            #expect(world.api.respond(to: request).status == .ok)
            request.queued = .seconds(3_600)
            let answer = try Answer(world.api.respond(to: request), statements: nil)
            #expect(answer.status == 503)
            #expect(answer["code"] == "overload")
            #expect(answer.fields[.retryAfter] == "1")
            #expect(!answer.text.contains("index"))
        }
    }

    @Test("the deadline stops a predicate over nested to-many relationships")
    func hostilePredicate() throws {
        var options = APIOptions()
        options.deadline = .milliseconds(100)
        try APIWorld.each(options: options) { world throws in
            let path = "tags.posts.tags.posts.tags.posts"
            let inner = "SUBQUERY($x.\(path), $y, ANY $y.\(path).title MATCHES 'x.*').@count > 0"
            let target = "/api/posts?where=SUBQUERY(\(path), $x, \(inner)).@count > 0"
            var answer = try world.get(target)
            // A server's queue may use up the time.
            for _ in 0..<100 where Transport.isServer && answer["code"] == "overload" { answer = try world.get(target) }
            #expect(answer.status == 503)
            #expect(answer["code"]?.string == "deadline")
        }
    }

    @Test("the deadline stops the rendering of a list")
    func rendering() throws {
        try APIWorld.each { world throws in
            let request = try world.api.parsed(HTTPRequest(.get, "/api/posts"))
            let reply = try world.api.execute(world.api.plan(request))
            let error = #expect(throws: Problem.self) {
                try world.api.render(reply, under: WorkLimits(isCancelled: { true }))
            }
            #expect(error?.code == .deadline)
            #expect(try world.api.render(reply).status == .ok)
        }
    }

    @Test("a request is stopped when its client has disconnected")
    func cancellation() throws {
        try APIWorld.each { world throws in
            let request = HTTPRequest(.get, "/api/posts")
            request.cancellation.cancel()
            #expect(world.api.respond(to: request).status == .serviceUnavailable)
        }
    }
}
