// SPDX-License-Identifier: Apache-2.0

// Requests that event loops answer with short reads.

import FoundationEssentials
import HTTPMessage
import JSON
import Testing

@testable import ObjectGraph
@testable import RESTAPI

@Suite("Short reads on event loops")
struct ShortReadTests {
    private static func options(loopTime: Duration) -> APIOptions {
        var options = APIOptions()
        options.loopTime = loopTime
        return options
    }

    @Test("an object and a page are answered on a loop, as by a worker")
    func answers() throws {
        try APIWorld.each(options: Self.options(loopTime: .seconds(600))) { world throws in
            let post = "/api/" + (try world.post("Faults"))
            let user = "/api/" + (try world.user("Anna"))
            for target in [
                post, "\(post)?select=title", "/api/posts", "/api/posts?limit=2", "/api/posts?limit=100&sort=-views",
                "/api/posts?where=views%20%3E%203", "\(post)?include=tags", "/api/posts?include=author,tags",
                "/api/posts?where=views%20%3E%203&limit=50&include=comments(limit=2)", "\(user)/posts",
                "/api/posts/999", "/api/posts?limit=x",
                "/api/nothing",
            ] {
                let request = HTTPRequest(.get, target)
                let response = try #require(world.api.respondShortly(to: request), "\(target)")
                let expected = world.api.respond(to: request)
                #expect(response.status == expected.status)
                #expect(response.fields[.etag] == expected.fields[.etag])
                if response.status == .ok { #expect(response.bytes == expected.bytes, "\(target)") }
            }
        }
    }

    @Test("what reads more, or writes, is left to a worker")
    func others() throws {
        try APIWorld.each(options: Self.options(loopTime: .seconds(600))) { world throws in
            let post = "/api/" + (try world.post("Faults"))
            for target in [
                "/api/posts?include=author.groups", "/api/posts?limit=100&include=author,tags", "/api/posts?count=true",
                "/api/posts?limit=101",
                "/api/posts?result=count", "/api/posts?result=ids", "/api/posts?explain=true",
                "/api/stats", "/api/contexts/none", "/metrics", "/",
            ] { #expect(world.api.respondShortly(to: HTTPRequest(.get, target)) == nil, "\(target)") }
            let compressed = HTTPRequest(.get, "/api/posts", fields: ["Accept-Encoding": "gzip"])
            #expect(world.api.respondShortly(to: compressed) == nil)
            let lines = HTTPRequest(.get, "/api/posts", fields: [.accept: "application/x-ndjson"])
            #expect(world.api.respondShortly(to: lines) == nil)
            let before = try world.get("/api/posts?result=count").text
            for method in [HTTPMethod.post, .patch, .delete, .put] {
                #expect(world.api.respondShortly(to: HTTPRequest(method, post)) == nil)
            }
            #expect(try world.get("/api/posts?result=count").text == before)
        }
    }

    @Test("a plain object is read without planning, and is in memory afterwards")
    func plainObject() throws {
        try APIWorld.each(options: Self.options(loopTime: .seconds(600))) { world throws in
            let post = "/api/" + (try world.post("Faults"))
            if world.sqlite != nil {
                world.coordinator.rowCache.removeAll()
                #expect(world.api.respondImmediately(to: HTTPRequest(.get, post)) == nil)
            }
            let response = try #require(world.api.respondShortly(to: HTTPRequest(.get, post)))
            #expect(response.fields[.serverTiming]?.contains("plan") == false)
            let tag = try #require(response.fields[.etag])
            #expect(world.api.respondImmediately(to: HTTPRequest(.get, post))?.bytes == response.bytes)
            let known = HTTPRequest(.get, post, fields: [.ifNoneMatch: tag])
            #expect(world.api.respondShortly(to: known)?.status == .notModified)
            let other = HTTPRequest(.get, post, fields: [.ifNoneMatch: "\"other\", \(tag)"])
            #expect(world.api.respondShortly(to: other)?.fields[.serverTiming]?.contains("plan") == true)
        }
    }

    @Test("rows of many bytes are left to a worker")
    func large() throws {
        try APIWorld.each(options: Self.options(loopTime: .seconds(600))) { world throws in
            let text = String(repeating: "x", count: 100 << 10)
            for _ in 0..<4 {
                #expect(try world.send(.post, "/api/pages", "{\"text\": \"\(text)\"}").status == 201)
            }
            let pages = HTTPRequest(.get, "/api/pages")
            // A store in memory has its rows already.
            if world.sqlite != nil { #expect(world.api.respondShortly(to: pages) == nil) }
            #expect(world.api.respond(to: pages).status == .ok)
        }
    }

    @Test("a request that went from a loop to a worker goes to workers for a while")
    func remembered() throws {
        let targets = LongTargets()
        #expect(!targets.contains("/api/posts"))
        targets.insert("/api/posts")
        #expect(targets.contains("/api/posts"))
        #expect(!targets.contains("/api/posts?limit=1"))
        try APIWorld.each(options: Self.options(loopTime: .seconds(600))) { world throws in
            #expect(world.api.respondShortly(to: HTTPRequest(.get, "/api/posts?count=true")) == nil)
            #expect(world.api.longTargets.contains("/api/posts?count=true"))
            world.api.longTargets.insert("/api/posts")
            #expect(world.api.respondShortly(to: HTTPRequest(.get, "/api/posts")) == nil)
            #expect(world.api.respond(to: HTTPRequest(.get, "/api/posts")).status == .ok)
        }
    }

    @Test("it does so for each identity")
    func rememberedForIdentities() throws {
        let options = Self.options(loopTime: .seconds(600))
        try APIWorld.each(options: options, access: #"{"roles": {"admin": {"administers": true}}}"#) { world throws in
            #expect(try world.send(as: "admin", .get, "/api").status == 200)
            let request = HTTPRequest(.get, "/api/posts?count=true", fields: [.authorization: "Bearer admin"])
            #expect(world.api.respondShortly(to: request) == nil)
            #expect(world.api.longTargets.contains("/api/posts?count=true"))
        }
    }

    @Test("without time for reads, all are left to workers")
    func none() throws {
        try APIWorld.each(options: Self.options(loopTime: .zero)) { world throws in
            #expect(world.api.respondShortly(to: HTTPRequest(.get, "/api/posts")) == nil)
            #expect(world.api.respondShortly(to: HTTPRequest(.get, "/api/nothing")) == nil)
        }
    }

    @Test("a read that takes longer than the loop's time is given up, and not counted")
    func late() throws {
        try APIWorld.each(options: Self.options(loopTime: .nanoseconds(1))) { world throws in
            #expect(world.api.respondShortly(to: HTTPRequest(.get, "/api/posts")) == nil)
            #expect(world.api.statistics.current.operations.allSatisfy { $0.count == 0 })
            #expect(try world.get("/api/posts").status == 200)
        }
    }
}

extension HTTPResponse {
    fileprivate var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }
}
