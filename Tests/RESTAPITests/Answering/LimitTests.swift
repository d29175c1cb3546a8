// SPDX-License-Identifier: Apache-2.0

// Work that ends before it is done.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Work for a request")
struct LimitTests {
    @Test("ends at its deadline with 503 and when to try again")
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

    @Test("has no more time than is left after waiting for a worker, and says what was lacking")
    func queued() throws {
        try APIWorld.each { world throws in
            var request = HTTPRequest(.get, "/api/posts")
            request.queued = .seconds(4)
            #expect(world.api.respond(to: request).status == .ok)
            request.queued = .seconds(5)
            let answer = try Answer(world.api.respond(to: request), statements: nil)
            #expect(answer.status == 503)
            #expect(answer["code"] == "overload")
            #expect(answer.fields[.retryAfter] == "1")
            #expect(!answer.text.contains("index"))
        }
    }

    @Test("ends at its deadline in the middle of a predicate that follows to-many after to-many")
    func hostilePredicate() throws {
        var options = APIOptions()
        options.deadline = .milliseconds(100)
        try APIWorld.each(options: options) { world throws in
            let path = "tags.posts.tags.posts.tags.posts"
            let inner = "SUBQUERY($x.\(path), $y, ANY $y.\(path).title MATCHES 'x.*').@count > 0"
            let answer = try world.get("/api/posts?where=SUBQUERY(\(path), $x, \(inner)).@count > 0")
            #expect(answer.status == 503)
            #expect(answer["code"]?.string == "deadline")
        }
    }

    @Test("ends while lists are written, too")
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

    @Test("ends when the client has gone")
    func cancellation() throws {
        try APIWorld.each { world throws in
            let request = HTTPRequest(.get, "/api/posts")
            request.cancellation.cancel()
            #expect(world.api.respond(to: request).status == .serviceUnavailable)
        }
    }
}
