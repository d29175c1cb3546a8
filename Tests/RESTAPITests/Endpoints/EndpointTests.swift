// SPDX-License-Identifier: Apache-2.0

// The table of endpoints, and matching of paths. Numbers in comments refer to the invariants in APIEndpoint.swift.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Endpoints")
struct EndpointTests {
    private let api: API

    init() throws {
        api = try OpenAPITests.api()
    }

    private func match(_ path: String) throws -> EndpointMatch {
        try #require(try api.catalogue.match(RequestTarget(path).segments), "\(path)")
    }

    /// The paths of the OpenAPI document, with values instead of words in braces, and their described methods.
    private var described: [(path: String, methods: [HTTPMethod])] {
        (api.openAPIDocument["paths"]?.object?.members ?? []).map { member in
            let values = ["{key}": "1", "{target}": "2", "{context}": "c1", "{entity}": "Post", "{code}": "method"]
            let path = values.reduce(member.name) { $0.replacing($1.key, with: $1.value) }
            let names = (member.value.object?.names ?? []).filter { $0 != "parameters" }
            return (path, names.map { HTTPMethod($0.uppercased()) })
        }
    }

    /// 2 and 5.
    @Test("each path allows the described methods, HEAD if it allows GET, and OPTIONS")
    func methods() throws {
        #expect(described.count > 60)
        for (path, methods) in described {
            let match = try match(path)
            // An abstract entity has no operations that create objects.
            let unsent = match.path.endpoints.filter(\.contract.body.createsObjects).map(\.method)
            let allowed = match.path.methods().filter { $0 != .head && $0 != .options }
            #expect(methods == allowed || methods == allowed.filter { !unsent.contains($0) }, "\(path)")
            #expect(match.path.methods().contains(.head) == allowed.contains(.get), "\(path)")
            #expect(match.path.methods().last == .options, "\(path)")
        }
    }

    /// 4.
    @Test("the path of each endpoint has everything that its plan needs")
    func plans() throws {
        for (path, methods) in described {
            for method in methods {
                let body: HTTPRequestBody = method == .get ? .none : .bytes(Array("{}".utf8))
                let fields: HeaderFields = method == .get ? [:] : [.contentType: "application/json"]
                do {
                    let plan = try api.plan(api.parsed(HTTPRequest(method, path, fields: fields, body: body)))
                    if case .answer(let answer) = plan, method == .get { _ = try answer(api, nil) }
                } catch let problem as Problem {
                    #expect(problem.code != .internal && problem.code != .notImplemented, "\(method) \(path)")
                }
            }
        }
    }

    /// 3.
    @Test(
        "undeclared parameters are refused by every kind of endpoint",
        arguments: [
            "/healthz", "/openapi.json", "/problems/unique", "/schemas/Post", "/api/queries", "/api/contexts",
            "/api/contexts/c1/changes", "/api/posts/1", "/api/posts/1/author", "/api/posts/1/picture",
        ]
    )
    func unknownParameters(path: String) throws {
        let answer = try Answer(api.respond(to: HTTPRequest(.get, path + "?nothing=1")), statements: nil)
        #expect(answer.status == 400)
        #expect(answer["detail"]?.string == "The parameter “nothing” is unknown.")
    }

    /// 1.
    @Test("a path belongs to the first matching pattern, and a pattern's word may be a key elsewhere")
    func precedence() throws {
        #expect(try match("/api/posts/fetch").path.pattern == PathPattern("/api/{entity}/fetch"))
        #expect(try match("/api/posts/fetchh").parts.key == "fetchh")
        let author = try match("/api/posts/fetch/author")
        #expect(author.parts.key == "fetch")
        #expect(try author.parts.property.name == "author")
        #expect(try match("/api/contexts/c1/save").path.endpoint(for: .post)?.name == "saveContext")
        let below = try match("/api/contexts/c1/save/all")
        #expect(below.path.isBelowContext)
        #expect(below.parts.name == "c1")
        #expect(below.parts.rest == ["save", "all"])
    }

    /// 2.
    @Test("the first segments of other paths are reserved names")
    func reserved() {
        #expect(
            Catalogue.reserved == ["model", "stats", "queries", "history", "hooks", "contexts", "transaction", "auth"]
        )
    }
}
