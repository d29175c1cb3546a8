// SPDX-License-Identifier: Apache-2.0

// Properties of all responses.

import Compression
import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Common properties of responses")
struct AnswerTests {
    @Test("a compressed response has a tag of its own, which conditional requests accept")
    func codedTags() throws {
        try APIWorld.each { world throws in
            let post = try world.post("Undo")
            let text = String(repeating: "long ", count: 600)
            _ = try world.send(.patch, "/api/\(post)", "{\"__hidden\":\"\(text)\"}")
            let coded: HeaderFields = [.acceptEncoding: "gzip"]
            for path in ["/api/\(post)", "/api/\(post)", "/api/posts?title=Undo", "/api/\(post)?select=title,__hidden"]
            {
                let plain = try #require(world.get(path).fields[.etag])
                let answer = try world.get(path, coded)
                #expect(answer.fields[.contentEncoding] == "gzip")
                let tag = try #require(answer.fields[.etag])
                #expect(tag == (plain.hasPrefix("W/") ? plain : plain.dropLast() + "-gzip\""))
                for known in [plain, tag] {
                    let fields: HeaderFields = [.acceptEncoding: "gzip", .ifNoneMatch: known]
                    let unchanged = try world.get(path, fields)
                    #expect(unchanged.status == 304)
                    #expect(unchanged.fields[.etag] == known)
                }
            }
            let tag = try #require(world.get("/api/\(post)", coded).fields[.etag])
            let change = try world.send(.patch, "/api/\(post)", "{\"views\":7}", fields: [.ifMatch: tag])
            #expect(change.status == 200)
            #expect(try world.send(.patch, "/api/\(post)", "{\"views\":8}", fields: [.ifMatch: tag]).status == 412)
        }
    }

    @Test("a response has the client's request ID if it is valid, else a new one")
    func requestID() throws {
        try APIWorld.each { world throws in
            let long = String(repeating: "a", count: 128)
            for own in ["a", "3F-x._~+/=", long] {
                #expect(try world.get("/api", [.requestID: own]).fields[.requestID] == own)
            }
            var seen: Set<String> = []
            for other in ["", "a b", "ü", "a\"", "<script>", long + "a", "a,b"] {
                let answer = try world.get("/api/none/1", [.requestID: other])
                let id = try #require(answer.fields[.requestID])
                #expect(id != other && !id.isEmpty)
                #expect(seen.insert(id).inserted)
            }
        }
    }

    @Test("Server-Timing gives the durations of the steps")
    func timing() throws {
        try APIWorld.each { world throws in
            let text = try #require(try world.get("/api/posts").fields[.serverTiming])
            let entries = text.split(separator: ", ").map { $0.prefix { $0 != ";" } }
            #expect(entries == ["parse", "plan", "execute", "render", "total"])
            #expect(text.split(separator: ", ").allSatisfy { Double($0.drop { $0 != "=" }.dropFirst()) != nil })
            #expect(try world.get("/api/none").fields[.serverTiming]?.contains("total;dur=") == true)
        }
    }

    @Test("a response forbids browsers to sniff, frame or run it", arguments: ["/api/posts", "/api/none", "/metrics"])
    func strictFields(target: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get(target)
            #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
            #expect(answer.fields["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'")
            #expect(answer.fields[.cacheControl] == "no-cache")
        }
    }

    @Test("a long text response is compressed if the client accepts that")
    func compression() throws {
        try APIWorld.each { world throws in
            let plain = try world.get("/api/posts")
            #expect(plain.fields[.contentEncoding] == nil)
            #expect(plain.fields[.vary] == "Accept-Encoding")
            let compressed = try world.get("/api/posts", [.acceptEncoding: "br, gzip;q=0.5"])
            #expect(compressed.fields[.contentEncoding] == "gzip")
            #expect(compressed.fields[.vary] == "Accept-Encoding")
            #expect(compressed.bytes.count < plain.bytes.count)
            #expect(try compressed.bytes.inflated(.gzip, limit: 1 << 20) == plain.bytes)
            for fields: HeaderFields in [[.acceptEncoding: "gzip;q=0"], [.acceptEncoding: "br"]] {
                #expect(try world.get("/api/posts", fields).fields[.contentEncoding] == nil)
            }
            let key = try world.reference("Post", "Faults").split(separator: "/")[1]
            let short = try world.get("/api/posts/" + key, [.acceptEncoding: "gzip"])
            #expect(short.fields[.contentEncoding] == nil)
            #expect(short.fields[.vary] == nil)
        }
    }

    @Test("a streamed response is compressed while it is written")
    func streamedCompression() throws {
        let pieces = (0..<500).map { Array("piece \($0) of many\n".utf8) }
        let request = HTTPRequest(.get, "/", fields: [.acceptEncoding: "gzip"])
        var response = HTTPResponse(
            .ok,
            fields: [.contentType: "text/plain"],
            body: .stream(length: nil) { writer in for piece in pieces { try writer.write(piece) } }
        )
        response.compress(for: request)
        #expect(response.fields[.contentEncoding] == "gzip")
        let answer = try Answer(response, statements: nil)
        #expect(try answer.bytes.inflated(.gzip, limit: 1 << 20) == pieces.flatMap(\.self))
    }

    @Test("a response is JSON, and 406 if the client accepts no JSON")
    func acceptance() throws {
        try APIWorld.each { world throws in
            let path = "/api/" + (try world.reference("Post", "Faults"))
            for accept in ["*/*", "application/*;q=0.1", "text/html, application/json;q=0.5", "nonsense"] {
                #expect(try world.get(path, [.accept: accept]).status == 200, "\(accept)")
            }
            for accept in ["text/html", "application/json;q=0", "image/*, application/json;q=0.0"] {
                let answer = try world.get(path, [.accept: accept])
                #expect(answer.status == 406, "\(accept)")
                #expect(answer["code"]?.string == "not-acceptable")
            }
            #expect(try world.get("/metrics", [.accept: "text/plain"]).status == 200)
            #expect(try world.get("/metrics", [.accept: "application/json"]).status == 406)
        }
    }

    @Test("OPTIONS lists the allowed methods, also for the whole server")
    func options() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.options, "/api/posts")
            #expect(answer.status == 204)
            #expect(answer.fields[.allow] == "GET, HEAD, POST, OPTIONS")
            #expect(try world.send(.options, "*").fields[.allow] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        }
    }
}
