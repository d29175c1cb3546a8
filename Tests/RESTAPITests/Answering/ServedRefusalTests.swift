// SPDX-License-Identifier: Apache-2.0

// Refusals by a server of the API before a request is complete.

import AtomicStores
import HTTPMessage
import HTTPServer
import HTTPTestClient
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Refusals by a server of the API")
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

    @Test(
        "an unreadable or unacceptable request is refused with a problem, and the connection closes",
        arguments: refusals
    )
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

    @Test("the refusal of an unescaped predicate in a URL explains how to escape it", arguments: ["x==%@", "x == 1"])
    func unescaped(predicate: String) throws {
        try Self.serve { server throws in
            let request = "GET /api/posts?where=\(predicate) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answer = try Answer(server.client().request(request), statements: nil)
            #expect(answer.status == 400 && answer["code"] == "malformed")
            #expect(answer["hint"]?.string?.contains("curl -G --data-urlencode") == true)
        }
    }

    @Test("the refusal of a body has the client's request ID")
    func requestID() throws {
        try Self.serve { server throws in
            let head =
                "POST /api/tags HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 104857600\r\n\r\n"
            let answer = try Answer(server.client().request(head), statements: nil)
            #expect(answer.status == 413 && answer.fields[.requestID] == "mine")
        }
    }

    @Test("a refused connection gets Retry-After")
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

    @Test("the response to HEAD has the head of GET and no body")
    func head() throws {
        try Self.serve { server throws in
            let client = try server.client()
            let get = try client.request("GET /api/model HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try client.request("HEAD /api/model HTTP/1.1\r\nHost: localhost\r\n\r\n", isHead: true)
            #expect(head.status == 200)
            #expect(head["content-length"] == "\(get.body.count)")
            #expect(head["content-type"] == get["content-type"])
            // Bytes of a body after the head would be read as the next response.
            let alive = try client.request("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(alive.text == "{\"status\":\"alive\"}")
        }
    }

    /// A server ends with its last reference.
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
