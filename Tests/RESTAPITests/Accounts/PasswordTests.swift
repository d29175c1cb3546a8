// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import Predicates
import Testing

@testable import RESTAPI

@Suite("Passwords of accounts")
struct PasswordTests {
    private static let other = "another password"

    private func change(_ world: AccountWorld, _ old: String, _ new: String, as token: String) throws -> Answer {
        try world.send("password", #"{"old": "\#(old)", "new": "\#(new)"}"#, as: token)
    }

    private func reset(_ world: AccountWorld, _ name: String) throws -> Int {
        try world.send("reset", #"{"name": "\#(name)"}"#).status
    }

    private func confirm(_ world: AccountWorld, _ token: String, _ password: String = other) throws -> Answer {
        try world.send("reset/confirm", #"{"token": "\#(token)", "password": "\#(password)"}"#)
    }

    // MARK: Changes

    @Test("a changed password ends the other sessions")
    func changing() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            let other = try world.signIn("a@x.org")
            #expect(try change(world, AccountWorld.password, Self.other, as: tokens.token).status == 204)
            #expect(try [tokens, other].map { try world.me($0.token).status } == [200, 401])
            #expect(try world.refresh(other.refreshToken).status == 401)
            #expect(try world.refresh(tokens.refreshToken).status == 200)
            #expect(try world.send("sign-in", #"{"name": "a@x.org", "password": "correct horse"}"#).status == 401)
            _ = try world.signIn("a@x.org", Self.other)
        }
    }

    @Test("a change needs the old password, and is slowed down like a sign-in")
    func wrongPassword() throws {
        try AccountWorld.each { world throws in
            let token = try world.signUp("a@x.org").token
            for _ in 0..<5 { #expect(try change(world, "wrong one", Self.other, as: token).status == 403) }
            let answer = try change(world, AccountWorld.password, Self.other, as: token)
            #expect(answer.status == 429 && answer["code"] == "rate", "\(answer.text)")
            #expect(answer.fields[.retryAfter] == "1")
            world.wait(2)
            #expect(try change(world, AccountWorld.password, "short", as: token).status == 422)
            #expect(try change(world, AccountWorld.password, Self.other, as: token).status == 204)
        }
    }

    // MARK: Resets

    @Test("a reset sends a token that sets another password once")
    func resetting() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            #expect(try reset(world, "a@x.org") == 202)
            let message = try #require(world.messages.last)
            #expect(message.kind == .reset && message.name == "a@x.org")
            #expect(message.account == tokens.user["_id"]?.string)
            #expect(try confirm(world, message.token, "short").status == 422)
            #expect(try confirm(world, message.token).status == 204)
            #expect(try confirm(world, message.token, "a third password").status == 401)
            #expect(try world.me(tokens.token).status == 401)
            #expect(try world.refresh(tokens.refreshToken).status == 401)
            _ = try world.signIn("a@x.org", Self.other)
        }
    }

    @Test("a reset's token ends with an hour, with another change of the password, and with the account")
    func expiry() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            _ = try reset(world, "a@x.org")
            _ = try reset(world, "a@x.org")
            let sent = world.messages.filter { $0.kind == .reset }.map(\.token)
            #expect(sent.count == 2)
            #expect(try change(world, AccountWorld.password, Self.other, as: tokens.token).status == 204)
            for token in sent { #expect(try confirm(world, token).status == 401) }
            _ = try reset(world, "a@x.org")
            world.wait(3_601)
            #expect(try confirm(world, try #require(world.messages.last?.token)).status == 401)
            _ = try reset(world, "a@x.org")
            let path = "/api/" + (tokens.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: "admin", .delete, path).status == 204)
            #expect(try confirm(world, try #require(world.messages.last?.token)).status == 401)
        }
    }

    @Test("a reset's answer doesn't tell whether there is an account, and few messages are sent")
    func silence() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let known = try world.send("reset", #"{"name": "a@x.org"}"#)
            let unknown = try world.send("reset", #"{"name": "b@x.org"}"#)
            #expect(known.status == 202 && unknown.status == 202 && known.text == unknown.text)
            #expect(known.fields.all.map(\.name) == unknown.fields.all.map(\.name))
            for _ in 0..<20 { #expect(try reset(world, "a@x.org") == 202) }
            #expect(world.messages.count { $0.kind == .reset } <= 5)
            world.wait(3_700)
            _ = try reset(world, "a@x.org")
            #expect(world.messages.count { $0.kind == .reset } <= 6)
        }
    }

    @Test("tokens are valid as long as the access file says")
    func lifetimes() throws {
        let access = AccountWorld.access.replacing(
            #""secret":"#,
            with: #""resetLifetime": 60, "verifyLifetime": 120, "secret":"#
        )
        try AccountWorld.each(access: access) { world throws in
            try world.signUp("a@x.org")
            _ = try reset(world, "a@x.org")
            let lifetimes = world.messages.map { Int($0.expires.timeIntervalSinceNow.rounded(.up)) }
            #expect(lifetimes == [120, 60])
            world.wait(61)
            #expect(try confirm(world, world.messages[1].token).status == 401)
            #expect(try world.send("verify", #"{"token": "\#(world.messages[0].token)"}"#).status == 204)
        }
    }

    @Test("without a receiver of messages, a reset is refused with the remedy, and a sign-up sends none")
    func withoutMessages() throws {
        let messages = #""messages": {"url": "https://mail.example/accounts", "secret": "0123456789abcdef"}"#
        let access = AccountWorld.access.replacing(messages, with: #""baseRole": "member""#)
            .replacing(#""roles": "role", "baseRole": "member""#, with: #""roles": "role""#)
        try AccountWorld.each(access: access) { world throws in
            try world.signUp("a@x.org")
            for name in ["a@x.org", "b@x.org"] {
                let answer = try world.send("reset", #"{"name": "\#(name)"}"#)
                #expect(answer.status == 501 && answer["code"] == "not-implemented", "\(answer.text)")
                #expect(answer["hint"]?.string?.contains("“identity.accounts.messages”") == true, "\(answer.text)")
            }
            #expect(world.messages.isEmpty)
            let refused = try world.send("sign-in", #"{"name": "a@x.org", "password": "a wrong one"}"#)
            #expect(refused.status == 401 && refused["hint"]?.string?.contains("reset") == false, "\(refused.text)")
        }
    }

    @Test("tokens of another server, and those that name other accounts, are refused")
    func foreignTokens() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            try world.signUp("b@x.org")
            _ = try reset(world, "a@x.org")
            let sent = try #require(world.messages.last?.token)
            let parts = sent.split(separator: ".").map(String.init)
            let payload = try JSONValue(parsing: try #require(Base64.decode(parts[1])))
            let claims = try #require(payload.object)
            var other = claims
            other["sub"] = try payload["sub"].map { value in
                .string(try #require(value.string).replacing("/p1", with: "/p2"))
            }
            var later = claims
            later["exp"] = .integer(4_000_000_000)
            let foreign = try AccountKey().signer
            let own = try world.outside.key.signer
            for (token, status) in [
                (try foreign.token(claims), 401), (try own.token(other), 401), (try own.token(claims), 204),
                (
                    [parts[0], Base64.encode(JSONValue.object(later).serializedBytes()), parts[2]].joined(
                        separator: "."
                    ), 401
                ),
                (try foreign.token(later), 401),
            ] { #expect(try confirm(world, token).status == status, "\(token)") }
            #expect(try world.send("sign-in", #"{"name": "b@x.org", "password": "\#(Self.other)"}"#).status == 401)
        }
    }

    @Test("a token is valid for its account and purpose alone")
    func purposes() throws {
        try AccountWorld.each { world throws in
            let a = try world.signUp("a@x.org")
            try world.signUp("b@x.org")
            let verification = try #require(world.messages.first?.token)
            _ = try reset(world, "a@x.org")
            let token = try #require(world.messages.last?.token)
            for other in [a.token, a.refreshToken, verification, "", "a.b.c", token + "A", token.uppercased()] {
                #expect([401, 422].contains(try confirm(world, other).status), "\(other)")
            }
            // The reset's token with the claims of another account.
            let parts = token.split(separator: ".").map(String.init)
            for other in [verification, a.token].map({ $0.split(separator: ".").map(String.init) }) {
                #expect(try confirm(world, [parts[0], other[1], parts[2]].joined(separator: ".")).status == 401)
            }
            #expect(try world.me(token).status == 401)
            #expect(try world.send("verify", #"{"token": "\#(token)"}"#).status == 401)
            #expect(try confirm(world, token).status == 204)
            #expect(try world.send("sign-in", #"{"name": "b@x.org", "password": "\#(Self.other)"}"#).status == 401)
        }
    }

    @Test("an account without a password gets one by a reset")
    func firstPassword() throws {
        try AccountWorld.each { world throws in
            #expect(try world.world.send(as: "admin", .post, "/api/users", #"{"email": "a@x.org"}"#).status == 201)
            for password in ["", "x", AccountWorld.password] {
                let body = #"{"name": "a@x.org", "password": "\#(password)"}"#
                #expect([401, 422].contains(try world.send("sign-in", body).status))
            }
            _ = try reset(world, "a@x.org")
            let token = try #require(world.messages.last?.token)
            #expect(try confirm(world, token).status == 204)
            _ = try world.signIn("a@x.org", Self.other)
        }
    }

    // MARK: Verification

    @Test("a token marks the account as verified once, unless its name has changed")
    func verifying() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let b = try world.signUp("b@x.org")
            let tokens = world.messages.map(\.token)
            #expect(world.messages.map(\.kind) == [.verify, .verify])
            #expect(try world.send("verify", #"{"token": "\#(tokens[0])"}"#).status == 204)
            #expect(try world.send("verify", #"{"token": "\#(tokens[0])"}"#).status == 401)
            #expect(try world.stored("isVerified") == ["a@x.org": .bool(true), "b@x.org": .bool(false)])
            let path = "/api/" + (b.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: b.token, .patch, path, #"{"email": "c@x.org"}"#).status == 200)
            #expect(try world.send("verify", #"{"token": "\#(tokens[1])"}"#).status == 401)
            #expect(try world.stored("isVerified")["c@x.org"] == .bool(false))
        }
    }

    @Test("an account that isn't verified can ask for another message, a few times")
    func anotherMessage() throws {
        try AccountWorld.each { world throws in
            let session = try world.signUp("a@x.org")
            func ask(as token: String?) throws -> Int { try world.send("verify/request", "{}", as: token).status }
            #expect(try ask(as: nil) == 401 && ask(as: "editor") == 403)
            #expect(try ask(as: session.token) == 202)
            #expect(world.messages.map(\.kind) == [.verify, .verify])
            let statuses = try (0..<6).map { _ in try ask(as: session.token) }
            #expect(statuses.first == 202 && statuses.last == 429, "\(statuses)")
            #expect(try world.send("verify", #"{"token": "\#(world.messages[1].token)"}"#).status == 204)
            #expect(try ask(as: session.token) == 409)
        }
    }

    @Test("without an attribute for it, nothing is verified")
    func withoutVerification() throws {
        let access = AccountWorld.access.replacing(#""verified": "isVerified","#, with: "")
        try AccountWorld.each(access: access) { world throws in
            try world.signUp("a@x.org")
            #expect(world.messages.isEmpty)
            #expect(try world.send("verify", #"{"token": "x"}"#).status == 404)
        }
    }
}
