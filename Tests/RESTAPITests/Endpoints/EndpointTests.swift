// SPDX-License-Identifier: Apache-2.0

// The table of endpoints, and how paths are matched with it. Numbers in comments are those of the invariants in APIEndpoint.swift.

import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("The table of endpoints")
struct EndpointTests {
    private let api: API

    init() throws {
        api = try OpenAPITests.api()
    }

    private func match(_ path: String) throws -> EndpointMatch {
        try #require(try api.catalogue.match(RequestTarget(path).segments), "\(path)")
    }

    /// The paths of the OpenAPI document, with values in the place of words in braces, and their methods there.
    private var described: [(path: String, methods: [HTTPMethod])] {
        (api.openAPIDocument["paths"]?.object?.members ?? []).map { member in
            let values = ["{key}": "1", "{target}": "2", "{context}": "c1", "{entity}": "Post", "{code}": "method"]
            let path = values.reduce(member.name) { $0.replacing($1.key, with: $1.value) }
            let names = (member.value.object?.names ?? []).filter { $0 != "parameters" }
            return (path, names.map { HTTPMethod($0.uppercased()) })
        }
    }

    /// 2 and 5.
    @Test("allows the methods that the document describes, HEAD beside GET, and OPTIONS")
    func methods() throws {
        #expect(described.count > 60)
        for (path, methods) in described {
            let match = try match(path)
            // An abstract entity has no objects that could be sent.
            let unsent = match.path.endpoints.filter(\.contract.body.makesObjects).map(\.method)
            let allowed = match.path.methods().filter { $0 != .head && $0 != .options }
            #expect(methods == allowed || methods == allowed.filter { !unsent.contains($0) }, "\(path)")
            #expect(match.path.methods().contains(.head) == allowed.contains(.get), "\(path)")
            #expect(match.path.methods().last == .options, "\(path)")
        }
    }

    /// 4.
    @Test("has for each endpoint a plan that finds in the path what it takes from there")
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
        "refuses parameters that aren't declared, whatever the endpoint answers",
        arguments: [
            "/healthz", "/openapi.json", "/problems/unique", "/schemas/Post", "/api/queries", "/api/contexts",
            "/api/contexts/c1/changes", "/api/posts/1", "/api/posts/1/author", "/api/posts/1/picture",
        ]
    )
    func unknownParameters(path: String) throws {
        let answer = try Answer(api.respond(to: HTTPRequest(.get, path + "?nothing=1")), statements: nil)
        #expect(answer.status == 400)
        #expect(answer["detail"]?.string == "There is no parameter “nothing” here.")
    }

    /// 1.
    @Test("finds the first pattern that matches, and another where a word stands for a key")
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
    @Test("keeps entities from having the names that stand in the place of theirs")
    func reserved() {
        #expect(Catalogue.reserved == ["model", "stats", "queries", "history", "contexts", "transaction"])
    }
}
