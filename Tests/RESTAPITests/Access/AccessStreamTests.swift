// SPDX-License-Identifier: Apache-2.0

import AccessRules
import HTTPMessage
import HTTPTestClient
import JSON
import ObjectGraph
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Streams of identities")
struct AccessStreamTests {
    /// Options with another interval between checks of credentials.
    private static func checking(every interval: Duration) -> APIOptions {
        var options = APIOptions()
        options.admissionInterval = interval
        return options
    }

    private static let often = checking(every: .milliseconds(20))
    /// Only what is sent, and the change of rules, makes checks.
    private static let never = checking(every: .seconds(86_400))

    private func note(_ text: String, in world: AccountWorld) throws {
        let answer = try world.world.send(as: "admin", .post, "/api/notes", #"{"text": "\#(text)"}"#)
        #expect(answer.status == 201, "\(answer.text)")
    }

    private func listen(_ target: String, as token: String, in world: AccountWorld) throws -> LiveReplica {
        let replica = LiveReplica()
        try replica.listen(target, as: token, of: world.world.api)
        return replica
    }

    // MARK: Permissions

    @Test("a live query ends before it shows what a role permitted that was taken away")
    func takenRole() throws {
        try AccountWorld.each(options: Self.never) { world throws in
            let token = try world.signUp("a@x.org").token
            try world.set("role", "editor", of: "a@x.org")
            let replica = try listen("/api/notes/live?select=text", as: token, in: world)
            #expect(replica.wait { $0.events.count == 1 })
            // Other accounts, and what else changes in its own, don't matter.
            try world.signUp("b@x.org")
            try world.set("name", "Anna", of: "a@x.org")
            try note("first", in: world)
            #expect(replica.wait { $0.items.map { $0["text"] } == ["first"] })
            try world.set("role", .null, of: "a@x.org")
            try note("second", in: world)
            #expect(replica.wait { $0.isEnded })
            #expect(replica.current.events.map(\.name) == ["result", "change", "end"])
            #expect(replica.current.events.last?.data["code"] == "forbidden")
            let next = LiveReplica(after: replica)
            try next.listen("/api/notes/live?select=text", as: token, of: world.world.api)
            #expect(next.wait { $0.events.count == 1 && $0.items.isEmpty })
        }
    }

    @Test("a live query ends before it shows more by another value of the account")
    func changedValue() throws {
        let access = AccountWorld.access.replacing(
            #""read": {"public": "isPublic == YES", "member": "owner == $USER", "editor": true}"#,
            with: #""read": {"member": "text == $USER.name"}"#
        )
        try AccountWorld.each(options: Self.never, access: access) { world throws in
            let token = try world.signUp("a@x.org").token
            try world.set("name", "Anna", of: "a@x.org")
            let replica = try listen("/api/notes/live?result=count", as: token, in: world)
            #expect(replica.wait { $0.count == 0 })
            try note("Anna", in: world)
            #expect(replica.wait { $0.count == 1 })
            try world.set("name", "Bea", of: "a@x.org")
            try note("Anna", in: world)
            #expect(replica.wait { $0.isEnded })
            #expect(replica.current.events.map(\.name) == ["count", "count", "end"])
        }
    }

    @Test("the streams of a deleted account end")
    func deletedAccount() throws {
        try AccountWorld.each(options: Self.never) { world throws in
            let tokens = try world.signUp("a@x.org")
            let replica = try listen("/api/notes/live", as: tokens.token, in: world)
            let path = "/api/" + (tokens.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: "admin", .delete, path).status == 204)
            #expect(replica.wait { $0.isEnded })
            #expect(replica.current.events.last?.data["code"] == "unauthenticated")
        }
    }

    @Test("the history's stream ends before it shows what an administrator doesn't see who is one no longer")
    func history() throws {
        try AccountWorld.each(options: Self.never) { world throws in
            let token = try world.signUp("a@x.org").token
            try world.set("role", "admin", of: "a@x.org")
            let replica = try listen("/api/history/stream", as: token, in: world)
            try note("first", in: world)
            #expect(replica.wait { $0.events.map(\.name) == ["transaction"] })
            try world.set("role", .null, of: "a@x.org")
            try note("second", in: world)
            #expect(replica.wait { $0.isEnded })
            #expect(replica.current.events.map(\.name) == ["transaction", "end"])
        }
    }

    @Test("streams end when the rules change, and not when the same rules are read again")
    func rules() throws {
        try AccountWorld.each(options: Self.never) { world throws in
            let api = world.world.api
            let policy = { (text: String) in
                try AccessPolicy(parsing: Array(text.utf8), for: api.coordinator.model.model)
            }
            let replica = LiveReplica()
            try replica.listen("/api/notes/live", as: "editor", of: api)
            let administration = LiveReplica()
            try administration.listen("/api/history/stream", as: "admin", of: api)
            api.replaceAccess(by: try policy(AccountWorld.access), authenticator: NamedRoles(), accounts: nil)
            try note("first", in: world)
            #expect(replica.wait { $0.items.count == 1 })
            #expect(administration.wait { $0.events.count == 1 })
            let other = AccountWorld.access.replacing(#", "editor": true}"#, with: "}")
            api.replaceAccess(by: try policy(other), authenticator: NamedRoles(), accounts: nil)
            #expect(replica.wait { $0.isEnded })
            #expect(administration.wait { $0.isEnded })
            #expect(replica.current.events.last?.data["code"] == "forbidden")
            try note("second", in: world)
            #expect(replica.current.events.count == 3)
        }
    }

    // MARK: Credentials

    /// The streams of a draft, of a list and of the history, as they are opened by an account that administers, or by another.
    private func streams(as token: String, in world: AccountWorld, administers: Bool) throws -> [LiveReplica] {
        let context = try world.world.send(as: token, .post, "/api/contexts", "{}")
        let name = try #require(context.fields[.location], "\(context.text)")
        let targets =
            ["/api/notes/live", name + "/notes/live"]
            + (administers ? ["/api/history/stream", name + "/events"] : [])
        return try targets.map { try listen($0, as: token, in: world) }
    }

    @Test("all streams end when their account signs out", arguments: [true, false])
    func signOut(administers: Bool) throws {
        try AccountWorld.each(options: Self.often) { world throws in
            let token = try world.signUp("a@x.org").token
            if administers { try world.set("role", "admin", of: "a@x.org") }
            let others = try streams(as: world.signIn("a@x.org").token, in: world, administers: administers)
            let own = try streams(as: token, in: world, administers: administers)
            #expect(try world.send("sign-out", "{}", as: token).status == 204)
            for stream in own {
                #expect(stream.wait { $0.isEnded })
                #expect(stream.current.events.last?.data["code"] == "unauthenticated")
            }
            #expect(others.allSatisfy { !$0.current.isEnded })
            #expect(
                try world.send("sign-out", #"{"everywhere": true}"#, as: world.signIn("a@x.org").token).status == 204
            )
            for other in others { #expect(other.wait { $0.isEnded }) }
        }
    }

    @Test("streams end when their token expires")
    func expiration() throws {
        try AccountWorld.each(options: Self.often) { world throws in
            let token = try world.signUp("a@x.org").token
            let stream = try listen("/api/notes/live", as: token, in: world)
            world.wait(890)
            try note("first", in: world)
            #expect(stream.wait { $0.events.count == 1 })
            #expect(!stream.current.isEnded)
            world.wait(20)
            #expect(stream.wait { $0.isEnded })
            #expect(stream.current.events.last?.data["code"] == "unauthenticated")
        }
    }

    /// Keys that can be revoked.
    private final class Keys: Authenticator {
        let revoked = Mutex(false)

        func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
            guard !revoked.withLock(\.self) else { throw InvalidCredential("The key was revoked.") }
            return try NamedRoles().identity(of: request)
        }
    }

    @Test("streams end when their key is revoked, also those of an administrator who acts for a role")
    func revocation() throws {
        try AccountWorld.each(options: Self.often) { world throws in
            let keys = Keys()
            let api = world.world.api
            let policy = try AccessPolicy(parsing: Array(AccountWorld.access.utf8), for: api.coordinator.model.model)
            api.replaceAccess(by: policy, authenticator: keys, accounts: nil)
            let stream = LiveReplica()
            try stream.listen("/api/notes/live", as: "editor", of: api)
            let acting = LiveReplica()
            let fields: HeaderFields = [.authorization: "Bearer admin", "Act-As": "role=editor"]
            let response = api.respond(to: HTTPRequest(.get, "/api/notes/live", fields: fields))
            guard case .feed(let start) = response.body else {
                throw LiveReplica.NoFeed(target: "", response: response)
            }
            start(acting)
            #expect(stream.wait { $0.events.count == 1 })
            #expect(acting.wait { $0.events.count == 1 })
            keys.revoked.withLock { $0 = true }
            for stream in [stream, acting] {
                #expect(stream.wait { $0.isEnded })
                #expect(stream.current.events.map(\.name) == ["result", "end"])
            }
        }
    }

    /// What a client receives until it has a text, or until the end of the connection.
    private static func text(from client: TestClient, containing part: String) throws -> String {
        var text = ""
        while !text.contains(part), case let bytes = try client.receive(), !bytes.isEmpty {
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    @Test("a server ends the answer of a stream after the last event")
    func server() throws {
        try AccountWorld.each(options: Self.often) { world throws in
            let token = try world.signUp("a@x.org").token
            let server = try LiveServer(world.world.api)
            let client = try server.client()
            try client.send("GET /api/notes/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
            let first = try Self.text(from: client, containing: "event: result")
            #expect(first.contains(" 200 OK"))
            #expect(try world.send("sign-out", "{}", as: token).status == 204)
            let rest = try Self.text(from: client, containing: "\r\n0\r\n\r\n")
            #expect(rest.contains("event: end\ndata: {\"code\":\"unauthenticated\""), "\(rest)")
        }
    }
}
