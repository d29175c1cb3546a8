// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Limits of roles")
struct AccessLimitTests {
    private static let access = """
        {
          "identity": {"anonymous": "public"},
          "roles": {"public": {}, "member": {}, "large": {"extends": ["member"]}, "admin": {"administers": true}},
          "rules": {
            "Post": {"read": {"public": true, "member": true}, "update": {"member": true}, "create": {"member": true}},
            "Tag": {"read": {"member": true}, "create": {"member": true}}
          },
          "limits": {
            "public": {"live": 1},
            "member": {"drafts": 2, "live": 1, "rows": 3, "bytes": 100},
            "large": {"drafts": 3, "live": 2, "rows": 5, "bytes": "1 KB"},
            "admin": {"drafts": 0, "live": 0, "rows": 1, "bytes": 1}
          }
        }
        """
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws { try APIWorld.each(access: Self.access, body) }

    @Test("an identity has at most as many drafts open as its roles may")
    func drafts() throws {
        try each { world throws in
            func open(_ identity: String) throws -> Answer {
                try world.send(as: identity, .post, "/api/contexts", "{}")
            }
            let first = try open(Self.anna)
            let path = try #require(first.fields[.location])
            #expect(try open(Self.anna).status == 201)
            let refused = try open(Self.anna)
            #expect(refused.status == 429 && refused["code"] == "rate" && refused.fields[.retryAfter] == "60")
            #expect(refused["detail"] == "The identity's roles permit 2 open editing contexts.")
            #expect(try open(Self.bea).status == 201)
            #expect(try world.send(as: Self.anna, .delete, path).status == 204)
            #expect(try open(Self.anna).status == 201 && open(Self.anna).status == 429)
            #expect(try (0..<4).map { _ in try open("large").status } == [201, 201, 201, 429])
            #expect(try (0..<4).map { _ in try open("admin").status } == [201, 201, 201, 201])
        }
    }

    @Test("an identity has at most as many streams open as its roles may, and an address without one")
    func streams() throws {
        try each { world throws in
            func status(_ identity: String?, _ target: String = "/api/posts/live", client: String = "") -> Int {
                var request = HTTPRequest(.get, target, client: client)
                if let identity { request.fields[.authorization] = "Bearer \(identity)" }
                return world.api.respond(to: request).status.code
            }
            let replica = LiveReplica()
            try replica.listen("/api/posts/live", as: Self.anna, of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            #expect(status(Self.anna) == 429 && status(Self.anna, "/api/tags/live?result=count") == 429)
            // Those that aren't begun don't count.
            #expect(status(Self.bea) == 200 && status(Self.bea) == 200)
            #expect(status("admin") == 200)
            let draft = try #require(try world.send(as: Self.anna, .post, "/api/contexts", "{}").fields[.location])
            #expect(status(Self.anna, draft + "/posts/live") == 429)
            replica.end()
            let next = LiveReplica()
            try next.listen(draft + "/posts/live", as: Self.anna, of: world.api)
            #expect(next.wait { $0.events.count == 1 })
            #expect(status(Self.anna) == 429)
            let anonymous = HTTPRequest(.get, "/api/posts/live", client: "192.0.2.1")
            guard case .feed(let start) = world.api.respond(to: anonymous).body else { return #expect(Bool(false)) }
            start(LiveReplica())
            #expect(status(nil, client: "192.0.2.1") == 429 && status(nil, client: "192.0.2.2") == 200)
        }
    }

    @Test("an answer has at most as many rows as the roles may get, also if it is streamed")
    func rows() throws {
        try each { world throws in
            func answer(_ target: String, as identity: String = Self.anna, _ type: String? = nil) throws -> Answer {
                let fields: HeaderFields = type.map { [.accept: $0] } ?? HeaderFields()
                return try world.send(as: identity, .get, target, fields: fields)
            }
            #expect(try answer("/api/posts")["items"]?.array?.count == 3)
            #expect(try answer("/api/posts?limit=3")["items"]?.array?.count == 3)
            let refused = try answer("/api/posts?limit=4")
            #expect(refused.status == 400 && refused["detail"] == "“limit” must be at most 3, not 4.")
            #expect(try answer("/api/posts?limit=5", as: "large")["items"]?.array?.count == 5)
            #expect(try answer("/api/posts", as: "admin")["items"]?.array?.count == 6)
            #expect(try answer("/api/posts?include=tags(limit=4)").status == 400)
            #expect(try answer("/api/posts?result=count")["count"] == 6)
            for type in ["application/x-ndjson", "text/csv"] {
                let all = try answer("/api/posts", type)
                #expect(all.status == 400 && all["detail"] == "“limit” must be at most 3, not missing.", "\(all.text)")
                #expect(try answer("/api/posts?limit=4", type).status == 400)
                #expect(try answer("/api/posts?limit=3", type).status == 200)
            }
            let body = #"{"limit": 4}"#
            #expect(try world.send(as: Self.anna, .post, "/api/posts/fetch", body).status == 400)
        }
    }

    @Test("streams are counted by the owner of an identity, not by a name that others may have")
    func namesakes() throws {
        let feeds = AdmittedFeeds()
        let request = HTTPRequest(.get, "/api/posts/live")
        func place(_ subject: String) throws -> FeedPlace {
            try feeds.place(for: Identity(name: "key:ci", roles: [], subject: subject), sending: request, limit: 1)
        }
        let places = try [place("key:1"), place("key:2")]
        #expect(throws: Problem.self) { try place("key:1") }
        withExtendedLifetime(places) {}
    }

    @Test("a body has at most as many bytes as the roles may send, also if it is read while it arrives")
    func bytes() throws {
        try each { world throws in
            func status(
                _ identity: String,
                _ method: HTTPMethod,
                _ path: String,
                _ type: String,
                _ count: Int
            ) throws -> Int {
                let text = #"{"name": "\#(String(repeating: "x", count: count - 12))"}"#
                let request = HTTPRequest(
                    method,
                    path,
                    fields: [.contentType: type, .authorization: "Bearer \(identity)"],
                    body: .bytes(Array(text.utf8))
                )
                return try world.answer(to: request).status
            }
            let picture = "/api/" + (try world.reference("Post", "Faults")) + "/picture"
            let lines = "application/x-ndjson"
            #expect(try status(Self.anna, .post, "/api/tags", "application/json", 100) == 201)
            #expect(try status(Self.anna, .post, "/api/tags", "application/json", 101) == 413)
            #expect(try status(Self.anna, .post, "/api/tags/batch-insert", lines, 99) == 200)
            #expect(try status(Self.anna, .post, "/api/tags/batch-insert", lines, 101) == 413)
            #expect(try status(Self.anna, .put, picture, "application/octet-stream", 100) == 204)
            #expect(try status(Self.anna, .put, picture, "application/octet-stream", 101) == 413)
            #expect(try status("large", .post, "/api/tags", "application/json", 1_000) == 201)
            #expect(try status("large", .post, "/api/tags", "application/json", 1_001) == 413)
            #expect(try status("admin", .post, "/api/tags", "application/json", 2_000) == 201)
        }
    }
}
