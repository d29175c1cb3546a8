// SPDX-License-Identifier: Apache-2.0

// JSON for people.

import Compression
import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Readable JSON")
struct ReadableJSONTests {
    private static let curl: HeaderFields = [.userAgent: "curl/8.5.0", .accept: "*/*"]
    private static let targets = [
        "/api/posts?limit=2", "/api", "/api/nothing", "/api/posts?limit=x", "/openapi.json",
    ]

    @Test("curl and HTTPie get indented JSON with a line end, unless they ask for JSON")
    func terminals() throws {
        try APIWorld.each { world throws in
            for target in try Self.targets + ["/api/\(world.reference("Post", "Undo"))"] {
                let plain = try world.get(target)
                #expect(!plain.text.contains("\n"))
                #expect(!plain.fields.list(of: .vary).contains("User-Agent"))
                for agent in ["curl/7.1", "HTTPie/3.2.1"] {
                    for fields: HeaderFields in [[.userAgent: agent, .accept: "*/*"], [.userAgent: agent]] {
                        let answer = try world.get(target, fields)
                        #expect(answer.status == plain.status)
                        #expect(answer.text.hasPrefix("{\n  \"") && answer.text.hasSuffix("\n}\n"), "\(answer.text)")
                        #expect(answer.fields[.contentType] == plain.fields[.contentType])
                        #expect(answer.fields.list(of: .vary).contains("User-Agent"))
                    }
                    let asking = try world.get(target, [.userAgent: agent, .accept: "application/json"])
                    #expect(!asking.text.contains("\n"))
                }
                let browser = try world.get(target, [.userAgent: "Mozilla/5.0 curl/8", .accept: "*/*"])
                #expect(!browser.text.contains("\n"))
            }
        }
    }

    @Test("the parameter “pretty” decides for all clients, and has two values")
    func parameter() throws {
        try APIWorld.each { world throws in
            let path = try "/api/\(world.reference("Post", "Undo"))"
            let plain = try world.get(path)
            for query in ["pretty", "pretty=true", "select=title&pretty=1", "pretty&include=tags"] {
                let answer = try world.get("\(path)?\(query)")
                #expect(answer.text.hasSuffix("\n}\n"), "\(query)")
                #expect(!answer.fields.list(of: .vary).contains("User-Agent"))
            }
            #expect(try world.get(path + "?pretty=false", Self.curl).text == plain.text)
            let wrong = try world.get(path + "?pretty=yes")
            #expect(wrong.status == 400 && wrong.text.contains("must be true or false"))
            // The next page is as readable.
            #expect(try world.get("/api/posts?pretty&limit=1").json?["next"]?.string?.contains("pretty") == true)
            #expect(try world.get("/api/posts?title=Undo&pretty").json?["items"]?.array?.count == 1)
            #expect(try world.send(.post, "/api/posts/fetch?pretty", "{\"limit\":1}").text.contains("\n  "))
        }
    }

    @Test("both layouts have the same value, and different tags, by either of which they are revalidated")
    func tags() throws {
        try APIWorld.each { world throws in
            let path = try "/api/\(world.reference("Post", "Undo"))"
            for target in [path, path + "?select=title"] {
                let plain = try world.get(target)
                let readable = try world.get(target, Self.curl)
                #expect(plain.json == readable.json)
                let tag = try #require(plain.fields[.etag])
                let readableTag = try #require(readable.fields[.etag])
                #expect(readableTag == (tag.hasPrefix("W/") ? tag : tag.dropLast() + "-pretty\""))
                for known in [tag, readableTag] {
                    for var fields in [[:], Self.curl] {
                        fields[.ifNoneMatch] = known
                        let unchanged = try world.get(target, fields)
                        #expect(unchanged.status == 304 && unchanged.fields[.etag] == known)
                    }
                }
            }
            let tag = try #require(world.get(path, Self.curl).fields[.etag])
            #expect(try world.send(.patch, path, "{\"views\":7}", fields: [.ifMatch: tag]).status == 200)
            #expect(try world.send(.patch, path, "{\"views\":8}", fields: [.ifMatch: tag]).status == 412)
        }
    }

    @Test("an answer from memory is the readable one, too")
    func memory() throws {
        try APIWorld.each { world throws in
            let path = try "/api/\(world.reference("Post", "Undo"))"
            _ = try world.get(path)
            for request in [HTTPRequest(.get, path, fields: Self.curl), HTTPRequest(.get, path + "?pretty")] {
                let response =
                    world.api.respondImmediately(to: request) ?? world.api.respondShortly(to: request)
                    ?? world.api.respond(to: request)
                let answer = try Answer(response, statements: nil)
                #expect(answer.text.hasSuffix("\n}\n"))
            }
        }
    }

    @Test("a compressed answer is the readable one, with a tag of its own")
    func compression() throws {
        try APIWorld.each { world throws in
            var fields = Self.curl
            fields[.acceptEncoding] = "gzip"
            let plain = try world.get("/api/posts", Self.curl)
            let compressed = try world.get("/api/posts", fields)
            #expect(compressed.fields[.contentEncoding] == "gzip")
            #expect(try compressed.bytes.inflated(.gzip, limit: 1 << 20) == plain.bytes)
            #expect(compressed.fields.list(of: .vary).contains("Accept-Encoding"))
        }
    }

    @Test("lines of JSON stay lines", arguments: ["/api/posts", "/api/posts?pretty"])
    func lines(target: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get(target, [.userAgent: "curl/8.5.0", .accept: "application/x-ndjson"])
            #expect(answer.text.split(separator: "\n").count == 6)
        }
    }
}
