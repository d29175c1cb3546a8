// SPDX-License-Identifier: Apache-2.0

// A request for each problem code, so that every described code can occur.

import AccessRules
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Causes of problems")
struct ProblemCauseTests {
    struct Cause: Sendable, CustomTestStringConvertible {
        let code: ProblemCode
        var options = APIOptions()
        /// Nil if the store can't cause it.
        let send: @Sendable (APIWorld) throws -> Answer?

        var testDescription: String { "\(code)" }

        init(
            _ code: ProblemCode,
            options: APIOptions = APIOptions(),
            _ send: @escaping @Sendable (APIWorld) throws -> Answer?
        ) {
            (self.code, self.options, self.send) = (code, options, send)
        }
    }

    static let causes = [
        Cause(.malformed) { try $0.send(.post, "/api/tags", "{\"name\":") },
        Cause(.parameter) { try $0.get("/api/posts?limit=many") },
        Cause(.predicate) { try $0.get("/api/posts?where=views >") },
        Cause(.notFound) { try $0.get("/api/posts/0") },
        Cause(.method) { try $0.send(.delete, "/api/posts") },
        Cause(.notAcceptable) { try $0.get("/api/posts", [.accept: "image/png"]) },
        Cause(.tooLarge) { try refused($0, .contentTooLarge) },
        Cause(.mediaType) { try $0.send(.post, "/api/tags", "name=x", fields: [.contentType: "text/plain"]) },
        Cause(.crossSite) { try $0.send(.post, "/api/tags", "{}", fields: [.origin: "https://elsewhere.example"]) },
        Cause(.unauthenticated) { world in
            let policy = try AccessPolicy(parsing: Array(#"{"roles": {"reader": {}}}"#.utf8), for: Blog.model)
            let api = try API(world.coordinator, accessGuard: AccessGuard(policy, authenticator: NamedRoles()))
            return try Answer(api.respond(to: HTTPRequest(.get, "/api/posts")), statements: nil)
        },
        Cause(.forbidden) { try $0.send(.post, "/api/model") },
        Cause(.model) { world in
            let api = try API(world.api.coordinator, modelChanger: { _ in throw Problem.refusedModel([]) })
            return try Answer(api.respond(to: HTTPRequest(.post, "/api/model")), statements: nil)
        },
        Cause(.modelVersion) { try $0.get("/api/tags", ["Accept-Model": "1.0"]) },
        Cause(.migrating) { world in
            let request = HTTPRequest(.get, "/api/tags")
            return try Answer(world.api.responseWhileMigrating(to: request), statements: nil)
        },
        Cause(.rate) { try refused($0, .tooManyRequests) },
        Cause(.misdirected, options: named) { try $0.get("/api/tags", [.host: "elsewhere.example"]) },
        Cause(.headersTooLarge) { try refused($0, .headerFieldsTooLarge) },
        Cause(.validation) { try $0.send(.post, "/api/tags", "{\"name\":null}") },
        Cause(.deleteDenied) { try $0.send(.delete, "/api/\($0.reference("User", "Cem"))") },
        Cause(.unique) { try $0.send(.post, "/api/tags", "{\"name\":\"core\"}") },
        Cause(.conflict) { try $0.send(.patch, "/api/\($0.reference("Tag", "core"))", "{\"_version\":9}") },
        Cause(.maxAffected) { try $0.send(.post, "/api/pages/batch-delete", "{\"all\":true,\"max\":1}") },
        Cause(.precondition) { world in
            try world.send(.patch, "/api/\(world.reference("Tag", "core"))", "{}", fields: [.ifMatch: "\"9\""])
        },
        Cause(.preconditionRequired, options: cautious) { world in
            try world.send(.patch, "/api/\(world.reference("Tag", "core"))", "{}")
        },
        Cause(.deadline, options: hurried) { try $0.get("/api/posts") },
        Cause(.overload) { try refused($0, .serviceUnavailable) },
        Cause(.locked, options: impatient) { world in
            guard let store = world.sqlite else { return nil }
            let other = try Connection(path: store.path)
            try other.execute("BEGIN EXCLUSIVE")
            store.meetLock(world.coordinator)
            return try withExtendedLifetime(other) { try world.send(.post, "/api/tags", "{\"name\":\"late\"}") }
        },
        Cause(.draining) { world in
            world.api.drain()
            return try world.get("/readyz")
        },
        Cause(.notReady) { world in
            for store in world.api.coordinator.stores { world.api.coordinator.remove(store) }
            return try world.get("/readyz")
        },
        Cause(.diskFull) { world in
            // File operations fail only on the thread that requests it, and a server answers on others.
            guard world.sqlite != nil, !Transport.isServer else { return nil }
            let path = "/api/\(try world.reference("Post", "Faults"))/picture"
            let files = FailingFiles()
            files.fail(1, lasts: true)
            defer { #expect(files.mend() > 0) }
            return try files.run {
                try world.send(.put, path, body: .bytes([UInt8](repeating: 7, count: 300_000)))
            }
        },
        Cause(.uriTooLong) { try refused($0, .uriTooLong) },
        Cause(.range) { world in
            let path = "/api/\(try world.reference("Post", "Faults"))/picture"
            _ = try world.send(.put, path, body: .bytes([1, 2, 3]))
            return try world.get(path, [.range: "bytes=3-"])
        },
        Cause(.idempotency) { world in
            let fields: HeaderFields = [.idempotencyKey: "key"]
            _ = try world.send(.post, "/api/tags", "{\"name\":\"a\"}", fields: fields)
            return try world.send(.post, "/api/tags", "{\"name\":\"b\"}", fields: fields)
        },
        Cause(.notImplemented) { try refused($0, .notImplemented) },
        Cause(.gone) { world in
            let transactions = try world.get("/api/history")["transactions"]?.array ?? []
            let tokens = transactions.compactMap { $0["token"]?.string }
            _ = try world.send(.delete, "/api/history?before=\(tokens[1])")
            return try world.get("/api/history?since=\(tokens[0])")
        },
        Cause(.internal) { world in
            guard let store = world.sqlite else { return nil }
            let path = "/api/\(try world.reference("Post", "Faults"))/picture"
            _ = try world.send(.put, path, body: .bytes([UInt8](repeating: 7, count: 300_000)))
            let folder = URL(filePath: store.path).deletingLastPathComponent()
            // The files of large values have been removed.
            try FileManager.default.removeItem(at: folder.appending(path: ".Blog_SUPPORT"))
            return try world.get(path)
        },
    ]

    private static var cautious: APIOptions {
        var options = APIOptions()
        options.requiresPreconditions = true
        return options
    }

    private static var named: APIOptions {
        var options = APIOptions()
        options.hostNames = [HostName("app.example")].compactMap(\.self)
        return options
    }

    private static var hurried: APIOptions {
        var options = APIOptions()
        options.deadline = .zero
        return options
    }

    private static var impatient: APIOptions {
        var options = APIOptions()
        options.deadline = .milliseconds(200)
        return options
    }

    /// The API's response to a refusal by the server.
    private static func refused(_ world: APIWorld, _ status: HTTPStatus) throws -> Answer {
        try Answer(world.api.refusal(HTTPRefusal(status, "It is so.")), statements: nil)
    }

    @Test("each problem has its code, its status and its page", arguments: causes)
    func code(cause: Cause) throws {
        try APIWorld.each(options: cause.options) { world throws in
            guard let answer = try cause.send(world) else { return }
            #expect(answer["code"]?.string == cause.code.description, "\(answer.text)")
            #expect(answer.status == cause.code.status.code)
            #expect(answer["type"]?.string == "/problems/\(cause.code)")
            #expect(!answer.text.contains(world.sqlite?.path ?? "/tmp/"))
        }
    }

    @Test("every code has a cause")
    func complete() { #expect(Set(Self.causes.map(\.code)) == Set(ProblemCode.all)) }
}
