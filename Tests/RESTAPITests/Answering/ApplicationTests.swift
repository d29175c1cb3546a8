// SPDX-License-Identifier: Apache-2.0

// The API as a server's application.

import HTTPMessage
import JSON
import SQLiteStore
import Testing

@testable import RESTAPI

@Suite("API as an application")
struct ApplicationTests {
    @Test("an object in memory is answered at once, equally and without a statement")
    func atOnce() throws {
        try APIWorld.each { world throws in
            let path = "/api/" + (try world.reference("Post", "Faults"))
            let answer = try world.get(path)
            let before = world.sqlite?.statistics.statements
            let atOnce = try #require(world.api.respondImmediately(to: HTTPRequest(.get, path)))
            #expect(world.sqlite?.statistics.statements == before)
            let same = try Answer(atOnce, statements: nil)
            #expect(same.status == 200)
            #expect(same.bytes == answer.bytes)
            let differing: Set<String> = ["x-request-id", "server-timing"]
            func fields(_ answer: Answer) -> [String: String] {
                Dictionary(answer.fields.all.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
                    .filter { !differing.contains($0.key) }
            }
            #expect(fields(same) == fields(answer))
            for name in [FieldName.requestID, .serverTiming] { #expect(same.fields[name] != nil) }
            #expect(world.api.respondImmediately(to: HTTPRequest(.head, path))?.status == .ok)
        }
    }

    @Test("an immediate response notices values derived from changed objects")
    func derived() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            func get(_ fields: HeaderFields = HeaderFields()) throws -> HTTPResponse {
                let request = HTTPRequest(.get, "/api/\(post)", fields: fields)
                return world.api.respondImmediately(to: request) ?? world.api.respond(to: request)
            }
            let tag = try #require(get().fields[.etag])
            #expect(tag.hasPrefix("\"1-"))
            #expect(try get([.ifNoneMatch: tag]).status == .notModified)
            let body = "{\"text\":\"And so it is.\",\"post\":\"\(post)\"}"
            #expect(try world.send(.post, "/api/comments", body).status == 201)
            let response = try get([.ifNoneMatch: tag])
            #expect(response.status == .ok)
            #expect(try Answer(response, statements: nil)["commentCount"]?.int64 == 2)
            #expect(try Answer(response, statements: nil)["_version"]?.int64 == 1)
            #expect(try world.send(.patch, "/api/\(post)", "{}", fields: [.ifMatch: tag]).status == 200)
            let changed = try world.send(.patch, "/api/\(post)", "{\"title\":\"Told\"}")
            #expect(try get([.ifNoneMatch: #require(changed.fields[.etag])]).status == .notModified)
        }
    }

    @Test("an unchanged list is answered at once with 304 and the usual fields, until it changes")
    func unchangedList() throws {
        try APIWorld.each { world throws in
            for path in ["/api/posts?sort=title", "/api/posts?limit=1&include=author", "/api/posts?result=count"] {
                let tag = try #require(try world.get(path).fields[.etag])
                let request = HTTPRequest(.get, path, fields: [.ifNoneMatch: tag])
                let atOnce = try #require(world.api.respondImmediately(to: request))
                #expect(atOnce.status == .notModified)
                let slow = world.api.respond(to: request)
                let differing: Set<String> = ["x-request-id", "server-timing"]
                func fields(_ response: HTTPResponse) -> [String: String] {
                    Dictionary(response.fields.all.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
                        .filter { !differing.contains($0.key) }
                }
                #expect(fields(atOnce) == fields(slow))
                for fields: HeaderFields in [
                    [.ifNoneMatch: "\"other\""], [.ifNoneMatch: tag, .accept: "text/html"], HeaderFields(),
                ] {
                    #expect(world.api.respondImmediately(to: HTTPRequest(.get, path, fields: fields)) == nil)
                }
            }
            let path = "/api/posts?include=author"
            let tag = try #require(try world.get(path).fields[.etag])
            let user = try world.reference("User", "Anna")
            #expect(try world.send(.patch, "/api/\(user)", "{\"name\":\"Anna B\"}").status == 200)
            #expect(world.api.respondImmediately(to: HTTPRequest(.get, path, fields: [.ifNoneMatch: tag])) == nil)
        }
    }

    @Test("a list that depends on the time or on an owner isn't answered at once")
    func unknownList() throws {
        try APIWorld.each { world throws in
            let user = try world.reference("User", "Anna")
            for path in ["/api/\(user)/posts", "/api/posts?where=createdAt%20%3C%20now()"] {
                let tag = try world.get(path).fields[.etag] ?? "*"
                #expect(world.api.respondImmediately(to: HTTPRequest(.get, path, fields: [.ifNoneMatch: tag])) == nil)
            }
        }
    }

    @Test("an unchanged object is answered at once with 304")
    func notModified() throws {
        try APIWorld.each { world throws in
            let path = "/api/" + (try world.reference("User", "Anna"))
            _ = try world.get(path)
            let known = HTTPRequest(.get, path, fields: [.ifNoneMatch: "\"1\""])
            let answer = try #require(world.api.respondImmediately(to: known))
            #expect(answer.status == .notModified)
            #expect(answer.fields[.etag] == "\"1\"")
            guard case .none = answer.body else {
                Issue.record("There is a body.")
                return
            }
            let other = HTTPRequest(.get, path, fields: [.ifNoneMatch: "\"2\""])
            #expect(world.api.respondImmediately(to: other)?.status != .notModified)
        }
    }

    @Test(
        "requests for objects that aren't in memory, and unusual or unknown ones, are left to a worker",
        arguments: [
            (HTTPMethod.get, "/api/posts/9999"), (.get, "/api/posts/01"), (.get, "/api/posts/+1"),
            (.get, "/api/posts/1?select=title"), (.get, "/api/posts/1/"), (.get, "/api/posts/"), (.get, "/api//1"),
            (.get, "/api/1"), (.get, "/api/none/1"), (.get, "/api/posts/99999999999999999999"), (.get, "/"),
            (.get, "/api"), (.get, "/apis/posts/1"), (.get, "/api/posts/1/2"), (.get, "/api/%70osts/1"), (.get, ""),
            (.delete, "/api/posts/1"), (.patch, "/api/posts/1"), (.get, "/readyz"), (.get, "/metrics"),
        ]
    )
    func notAtOnce(method: HTTPMethod, target: String) throws {
        try APIWorld.each { world throws in
            _ = try world.get("/api/posts")
            #expect(world.api.respondImmediately(to: HTTPRequest(method, target)) == nil)
        }
    }

    @Test("an immediate response finds an object through its own entity and its parents, but no other")
    func entities() throws {
        try APIWorld.each { world throws in
            let user = try world.reference("User", "Anna")
            let key = user.split(separator: "/")[1]
            _ = try world.get("/api/\(user)")
            for entity in ["users", "User", "Contact"] {
                let response = try #require(
                    world.api.respondImmediately(to: HTTPRequest(.get, "/api/\(entity)/\(key)"))
                )
                #expect(try Answer(response, statements: nil)["_id"]?.string == user)
            }
            #expect(world.api.respondImmediately(to: HTTPRequest(.get, "/api/Group/\(key)")) == nil)
        }
    }

    @Test("complex conditions and Accept fields are left to a worker")
    func wishes() throws {
        try APIWorld.each { world throws in
            let path = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.get(path)
            for fields: HeaderFields in [
                [.ifMatch: "\"1\""], [.accept: "text/html"], [.ifNoneMatch: "\"1\", \"2\""], [.ifNoneMatch: "*"],
            ] {
                #expect(world.api.respondImmediately(to: HTTPRequest(.get, path, fields: fields)) == nil)
            }
            let json = HTTPRequest(.get, path, fields: [.accept: "text/html, application/json"])
            #expect(world.api.respondImmediately(to: json)?.status == .ok)
        }
    }

    @Test("the health check is answered at once")
    func health() throws {
        try APIWorld.each { world throws in
            let response = try #require(world.api.respondImmediately(to: HTTPRequest(.get, "/healthz")))
            #expect(try Answer(response, statements: nil).text == "{\"status\":\"alive\"}")
        }
    }

    @Test("bodies of inserts and bytes are streamed, and others collected up to the limit")
    func reception() throws {
        var options = APIOptions()
        options.bodyLimit = 77
        try APIWorld.each(options: options) { world throws in
            func reception(_ method: HTTPMethod, _ target: String) -> String {
                switch world.api.reception(of: HTTPRequest(method, target)) {
                case .collect(let limit): "\(limit)"
                case .stream: "stream"
                case .refuse(let response): response.status.description
                }
            }
            #expect(reception(.post, "/api/posts/batch-insert") == "stream")
            #expect(reception(.put, "/api/posts/1/picture") == "stream")
            for target in ["/api/posts", "/api/posts/batch-update", "/api/posts/1/tags", "/none", "*", "/api/none"] {
                #expect(reception(.post, target) == "77")
            }
            #expect(reception(.put, "/api/posts/batch-insert") == "77")
            #expect(reception(.put, "/api/posts/1/title") == "77")
        }
    }

    @Test("a body with a content coding is refused before it arrives")
    func codedBodies() throws {
        try APIWorld.each { world throws in
            let request = HTTPRequest(.post, "/api/posts", fields: [.contentEncoding: "gzip"])
            guard case .refuse(let response) = world.api.reception(of: request) else {
                Issue.record("The body was let in.")
                return
            }
            let answer = try Answer(response, statements: nil)
            #expect(answer.status == 415)
            #expect(answer["code"]?.string == "media-type")
            #expect(answer.fields[.requestID] != nil)
        }
    }

    @Test(
        "a server's refusals become problems",
        arguments: [
            (HTTPStatus.badRequest, "malformed"), (.contentTooLarge, "too-large"), (.uriTooLong, "uri-too-long"),
            (.headerFieldsTooLarge, "headers-too-large"), (.serviceUnavailable, "overload"),
            (.requestTimeout, "malformed"), (.versionNotSupported, "malformed"),
        ]
    )
    func refusals(status: HTTPStatus, code: String) throws {
        try APIWorld.each { world throws in
            let refusal = HTTPRefusal(status, "It is so.", limit: "bodyLimit", retryAfter: 3)
            let answer = try Answer(world.api.refusal(refusal), statements: nil)
            #expect(answer.status == status.code)
            #expect(answer["code"]?.string == code)
            #expect(answer["status"]?.int64 == Int64(status.code))
            #expect(answer["detail"]?.string == "It is so.")
            #expect(answer["limit"]?.string == "bodyLimit")
            #expect(answer.fields[.retryAfter] == "3")
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(answer.fields[.requestID] != nil)
        }
    }

    @Test("batches and long bodies count as long before they are planned, and requests about the server are recognized")
    func lengths() throws {
        try APIWorld.each { world throws in
            let short = ["/api/posts", "/api/posts?search=a", "/api/nothing", "/readyz", "/api/posts/fetch"]
            for target in short { #expect(!world.api.mayTakeLong(HTTPRequest(.post, target)), "\(target)") }
            #expect(world.api.mayTakeLong(HTTPRequest(.post, "/api/posts/batch-update?where=views%20%3E%201")))
            let body = HTTPRequestBody.bytes([UInt8](repeating: 0x20, count: 100_000))
            #expect(world.api.mayTakeLong(HTTPRequest(.post, "/api/posts", body: body)))
            for target in ["/readyz", "/metrics", "/api/stats"] {
                #expect(world.api.isAboutServer(HTTPRequest(.get, target)), "\(target)")
            }
            for target in ["/api/posts", "/readyz/posts", "/api/statistics"] {
                #expect(!world.api.isAboutServer(HTTPRequest(.get, target)), "\(target)")
            }
        }
    }
}
