// SPDX-License-Identifier: Apache-2.0

// An API called directly and through a server, which must respond alike.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

/// Sends each request to the API as a local request, and to a server on a loopback address.
struct DirectAndServedAPI {
    let api: API
    let server: LiveServer
    /// The path of one of the posts; stores choose the numbers of objects.
    let post: String

    /// Opens an editing context, so that its routes can be requested.
    init(hostNames: [String] = [], origins: [String] = []) throws {
        let model = try ManagedObjectModel(Blog.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        try Blog.fill(coordinator)
        var options = APIOptions()
        options.hostNames = try hostNames.map { try #require(HostName($0)) }
        options.allowedOrigins = try origins.map { try #require(AllowedOrigin($0)) }
        let api = try API(coordinator, options: options)
        self.api = api
        server = try LiveServer(api)
        try #require(api.respond(to: HTTPRequest(.post, "/api/contexts")).status == .created)
        let posts = try Answer(api.respond(to: HTTPRequest(.get, "/api/posts?result=ids&limit=1")), statements: nil)
        post = "/api/\(try #require(posts["items"]?[0]?.string))"
    }

    func send(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: HeaderFields = HeaderFields(),
        _ body: String? = nil,
        check: (Answer) throws -> Void
    ) throws {
        var fields = fields
        if !fields.contains(.host) { fields.add(.host, "localhost") }
        let bytes = body.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
        let request = HTTPRequest(method, target, fields: fields, body: bytes, isLocal: true)
        try check(Answer(api.respond(to: request), statements: nil))
        // An event stream doesn't end.
        if !["/events", "/stream", "/live"].contains(where: target.hasSuffix) || method != .get {
            try check(Answer(server.answer(to: request), statements: nil))
        }
    }

    /// Every operation of the OpenAPI documents, of the API and of an editing context, with existing paths.
    func operations() throws -> [(method: HTTPMethod, path: String)] {
        let below = try Answer(api.respond(to: HTTPRequest(.get, "/api/contexts/c1/openapi.json")), statements: nil)
        let documents = [(api.openAPIDocument, ""), (try #require(below.json), "/api/contexts/c1")]
        return documents.flatMap { document, base in
            (document["paths"]?.object?.members ?? []).flatMap { path in
                (path.value.object?.names ?? []).filter { $0 != "parameters" }.map { method in
                    (method: HTTPMethod(method.uppercased()), path: base + Self.filled(path.name))
                }
            }
        }
    }

    private static func filled(_ path: String) -> String {
        ["{key}": "1", "{target}": "1", "{context}": "c1", "{entity}": "Post", "{code}": "method"]
            .reduce(path) { $0.replacing($1.key, with: $1.value) }
    }
}

extension HTTPMethod {
    var isReading: Bool { self == .get || self == .head || self == .options }
}
