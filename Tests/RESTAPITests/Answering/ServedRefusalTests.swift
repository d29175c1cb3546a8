// SPDX-License-Identifier: Apache-2.0

// What a server of the API refuses before there is a request.

import AtomicStores
import HTTPMessage
import HTTPServer
import HTTPTestClient
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("A server of the API")
struct ServedRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let code: String
        let status: Int
        let request: String
        var limit: String?

        var testDescription: String { "\(code) \(limit ?? "")" }
    }

    private static let refusals = [
        Refusal(code: "malformed", status: 400, request: "GET /api HTTP/1.1\nHost: localhost\r\n\r\n"),
        Refusal(code: "malformed", status: 400, request: "GET /api HTTP/1.1\r\n\r\n"),
        Refusal(
            code: "malformed",
            status: 400,
            request:
                "POST /api/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        Refusal(code: "malformed", status: 505, request: "GET /api HTTP/3.0\r\nHost: localhost\r\n\r\n"),
        Refusal(
            code: "malformed",
            status: 417,
            request: "GET /api HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n"
        ),
        Refusal(
            code: "not-implemented",
            status: 501,
            request: "POST /api/tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        ),
        Refusal(
            code: "uri-too-long",
            status: 414,
            request: "GET /api/posts?where=" + String(repeating: "x", count: 20_000),
            limit: "requestLine"
        ),
        Refusal(
            code: "headers-too-large",
            status: 431,
            request: "GET /api HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 40_000),
            limit: "fieldBytes"
        ),
        Refusal(
            code: "too-large",
            status: 413,
            request: "POST /api/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\n\r\n",
            limit: "body"
        ),
    ]

    @Test("refuses what it can't or won't read with a problem, and closes", arguments: refusals)
    func refusing(_ refusal: Refusal) throws {
        try Self.serve { server throws in
            let client = try server.client()
            let answer = try Answer(client.request(refusal.request), statements: nil)
            #expect(answer.status == refusal.status)
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(answer["code"]?.string == refusal.code)
            #expect(answer["limit"]?.string == refusal.limit)
            #expect(answer["type"]?.string == "/problems/\(refusal.code)")
            let code = try #require(ProblemCode.all.first { $0.description == refusal.code })
            #expect(code.statuses.contains(HTTPStatus(refusal.status)))
            #expect(answer.fields[.requestID] != nil)
            #expect(answer.fields[.serverTiming]?.hasPrefix("total;dur=") == true)
            #expect(client.hasEnded())
        }
    }

    @Test("says how to escape a predicate that was typed into a URL", arguments: ["x==%@", "x == 1"])
    func unescaped(predicate: String) throws {
        try Self.serve { server throws in
            let request = "GET /api/posts?where=\(predicate) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answer = try Answer(server.client().request(request), statements: nil)
            #expect(answer.status == 400 && answer["code"] == "malformed")
            #expect(answer["hint"]?.string?.contains("curl -G --data-urlencode") == true)
        }
    }

    @Test("keeps the ID that a client has given to a request whose body is refused")
    func requestID() throws {
        try Self.serve { server throws in
            let head =
                "POST /api/tags HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 104857600\r\n\r\n"
            let answer = try Answer(server.client().request(head), statements: nil)
            #expect(answer.status == 413 && answer.fields[.requestID] == "mine")
        }
    }

    @Test("says when to come back where there are too many clients")
    func overload() throws {
        try Self.serve(connections: 1) { server throws in
            let first = try server.client()
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            #expect(try first.request(request).status == 200)
            let answer = try Answer(server.client().request(request), statements: nil)
            #expect(answer.status == 503)
            #expect(answer["code"] == "overload")
            #expect(answer["limit"] == "connections")
            #expect(answer.fields[.retryAfter] == "1")
        }
    }

    @Test("sends the head of an answer to HEAD that GET has, without the body")
    func head() throws {
        try Self.serve { server throws in
            let client = try server.client()
            let get = try client.request("GET /api/model HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try client.request("HEAD /api/model HTTP/1.1\r\nHost: localhost\r\n\r\n", isHead: true)
            #expect(head.status == 200)
            #expect(head["content-length"] == "\(get.body.count)")
            #expect(head["content-type"] == get["content-type"])
            // What came behind the head would be taken for the next answer.
            let alive = try client.request("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(alive.text == "{\"status\":\"alive\"}")
        }
    }

    /// A server ends with the last who holds it.
    private static func serve(
        connections: Int = ServerLimits().connections,
        _ body: (LiveServer) throws -> Void
    ) throws {
        let model = try ManagedObjectModel(Blog.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let server = try LiveServer(API(coordinator)) { $0.connections = connections }
        try withExtendedLifetime(server) { try body(server) }
    }
}
