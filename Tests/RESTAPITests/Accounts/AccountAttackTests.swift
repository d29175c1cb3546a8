// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Attacks on accounts")
struct AccountAttackTests {
    private static func token(_ header: String, _ claims: String, signature: String = "") -> String {
        [header, claims].map { Base64.encode(Array($0.utf8)) }.joined(separator: ".") + "." + signature
    }

    @Test("forged and foreign tokens are refused")
    func forgedTokens() throws {
        try AccountWorld.each { world throws in
            let own = try world.signUp("a@x.org").token
            let parts = own.split(separator: ".").map(String.init)
            let claims = String(decoding: try #require(Base64.decode(parts[1])), as: UTF8.self)
            let id = world.outside.key.id
            let foreign = try AccountKey().signer.token(
                try #require(JSONValue(parsing: Array(claims.utf8)).object),
                now: .now,
                lasting: 900
            )
            let reset = try AccountTokens(world.outside.key).make(["sub": "users/1"], for: .reset, now: .now).token
            let withoutSession = try AccountTokens(world.outside.key).make(["sub": "users/1"], for: .access, now: .now)
            let unknownSession = try AccountTokens(world.outside.key)
                .make(["sub": "users/1", "sid": "x"], for: .access, now: .now)
            let admin = claims.replacing("\"sub\"", with: "\"roles\":[\"admin\"],\"sub\"")
            for forged in [
                Self.token(#"{"alg":"none","kid":"\#(id)"}"#, claims), Self.token(#"{"alg":"none"}"#, claims),
                Self.token(#"{"alg":"None","kid":"\#(id)"}"#, claims, signature: parts[2]),
                Self.token(#"{"alg":"RS256","kid":"\#(id)"}"#, claims, signature: parts[2]),
                Self.token(#"{"alg":"HS256","typ":"JWT"}"#, claims, signature: parts[2]),
                [parts[0], Base64.encode(Array(admin.utf8)), parts[2]].joined(separator: "."),
                [parts[0], parts[1], ""].joined(separator: "."), String(own.dropLast(2)), own + ".x", foreign, reset,
                withoutSession.token, unknownSession.token,
            ] {
                #expect(try world.me(forged).status == 401, "\(forged)")
                #expect(try world.world.send(as: forged, .get, "/api/notes").status == 401, "\(forged)")
            }
            #expect(try world.me(own).status == 200)
            #expect(!claims.contains("a@x.org") && !claims.contains("scrypt"))
        }
    }

    @Test("unknown names, wrong passwords and accounts without one have the same answer")
    func enumeration() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            _ = try world.world.send(as: "admin", .post, "/api/users", #"{"email": "empty@x.org"}"#)
            try world.signUp("broken@x.org")
            try world.set("passwordHash", "no hash", of: "broken@x.org")
            var answers: [String] = []
            for name in ["a@x.org", "b@x.org", "empty@x.org", "broken@x.org"] {
                let answer = try world.send("sign-in", #"{"name": "\#(name)", "password": "wrong password"}"#)
                #expect(answer.status == 401 && answer.fields[.wwwAuthenticate] == "Bearer")
                answers.append(answer.text)
            }
            #expect(Set(answers).count == 1, "\(answers)")
        }
    }

    @Test("a sign-in with a password that is reset meanwhile is refused, and its session ends")
    func overtakenSignIn() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            _ = try world.send("reset", #"{"name": "a@x.org"}"#)
            let reset = try #require(world.messages.last?.token)
            let status = Mutex(0)
            let body = #"{"token": "\#(reset)", "password": "another password"}"#
            let request = HTTPRequest(
                .post,
                "/api/auth/reset/confirm",
                fields: [.contentType: "application/json"],
                body: .bytes(Array(body.utf8))
            )
            world.outside.onTime.withLock { [api = world.world.api] onTime in
                // A server would answer it after the sign-in: requests with passwords from one address take turns.
                onTime = {
                    let answer = api.respond(to: request)
                    status.withLock { $0 = Int(answer.status.code) }
                }
            }
            let answer = try world.send("sign-in", #"{"name": "a@x.org", "password": "correct horse"}"#)
            #expect(status.withLock(\.self) == 204)
            #expect(answer.status == 401 && answer["token"] == nil, "\(answer.text)")
            #expect(world.outside.sessionCount == 0)
            _ = try world.signIn("a@x.org", "another password")
        }
    }

    @Test("a sign-in goes on if only the hash of the same password has changed")
    func renewedHash() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let hash = try PasswordHash(of: Array("correct horse".utf8), cost: AccountWorld.cost).description
            world.outside.onTime.withLock { onTime in
                onTime = { try? world.set("passwordHash", .string(hash), of: "a@x.org") }
            }
            let tokens = try world.signIn("a@x.org")
            #expect(try world.stored("passwordHash") == ["a@x.org": .string(hash)])
            #expect(try world.me(tokens.token).status == 200)
        }
    }

    @Test("failing sign-ins slow down for a name, whether or not there is such an account")
    func throttlingByName() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            for name in ["a@x.org", "b@x.org"] {
                let wrong = #"{"name": "\#(name)", "password": "wrong password"}"#
                for _ in 0..<5 { #expect(try world.send("sign-in", wrong).status == 401) }
                let answer = try world.send("sign-in", wrong.replacing("wrong password", with: AccountWorld.password))
                #expect(answer.status == 429 && answer["code"] == "rate", "\(answer.text)")
                #expect(answer["title"] == "Too many requests" && answer.fields[.retryAfter] == "1")
                world.wait(2)
                #expect(try world.send("sign-in", wrong).status == 401)
                #expect(try world.send("sign-in", wrong).fields[.retryAfter] == "2")
                // The address is forgotten, too.
                world.wait(3_601)
            }
            _ = try world.signIn("a@x.org")
            _ = try world.signIn("a@x.org")
        }
    }

    @Test("failing sign-ins slow down for an address, and for no other")
    func throttlingByAddress() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            func status(_ name: String, _ password: String, from client: String, _ proxy: String? = nil) -> Int {
                var request = HTTPRequest(
                    .post,
                    "/api/auth/sign-in",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array(#"{"name": "\#(name)", "password": "\#(password)"}"#.utf8)),
                    client: client,
                    isLocal: proxy != nil
                )
                if let proxy, !proxy.isEmpty { request.fields["X-Forwarded-For"] = proxy }
                return world.world.api.respond(to: request).status.code
            }
            for index in 0..<5 { #expect(status("n\(index)", "wrong password", from: "192.0.2.1") == 401) }
            #expect(status("a@x.org", AccountWorld.password, from: "192.0.2.1") == 429)
            #expect(status("a@x.org", AccountWorld.password, from: "192.0.2.2") == 200)
            // Of an IPv6 address, a client can choose the second half.
            for index in 0..<5 { #expect(status("n\(index)z", "wrong password", from: "2001:db8::\(index)") == 401) }
            #expect(status("a@x.org", AccountWorld.password, from: "2001:db8::9") == 429)
            // A proxy of this machine names its clients; what clients wrote themselves comes first.
            for index in 0..<5 {
                #expect(status("n\(index)x", "wrong password", from: "127.0.0.1", "10.0.0.\(index), 192.0.2.3") == 401)
            }
            #expect(status("a@x.org", AccountWorld.password, from: "127.0.0.1", "192.0.2.3") == 429)
            #expect(status("a@x.org", AccountWorld.password, from: "127.0.0.1", "192.0.2.4") == 200)
            for index in 0..<9 { #expect(status("n\(index)y", "wrong password", from: "127.0.0.1", "") == 401) }
            #expect(status("a@x.org", AccountWorld.password, from: "127.0.0.1", "") == 200)
        }
    }

    @Test("sign-ups slow down for an address, also those that succeed, but not for those who administer")
    func throttlingSignUps() throws {
        try AccountWorld.each { world throws in
            func answer(_ name: String, from client: String, _ credential: String? = nil) -> HTTPResponse {
                var request = HTTPRequest(
                    .post,
                    "/api/auth/sign-up",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array(#"{"name": "\#(name)", "password": "correct horse"}"#.utf8)),
                    client: client,
                    isLocal: false
                )
                if let credential { request.fields[.authorization] = "Bearer \(credential)" }
                return world.world.api.respond(to: request)
            }
            func status(_ name: String, from client: String, _ credential: String? = nil) -> Int {
                answer(name, from: client, credential).status.code
            }
            for index in 0..<3 { #expect(status("a\(index)@x.org", from: "192.0.2.1") == 201) }
            for _ in 0..<2 { #expect(status("a0@x.org", from: "192.0.2.1") == 409) }
            let refused = answer("b@x.org", from: "192.0.2.1")
            #expect(refused.status.code == 429 && refused.fields[.retryAfter] == "1")
            #expect(try world.stored("email")["b@x.org"] == nil)
            #expect(status("b@x.org", from: "192.0.2.2") == 201)
            for index in 0..<9 { #expect(status("c\(index)@x.org", from: "192.0.2.1", "admin") == 201) }
            world.wait(2)
            #expect(status("d@x.org", from: "192.0.2.1") == 201)
            #expect(status("e@x.org", from: "192.0.2.1") == 429)
        }
    }

    @Test(
        "names that look like others, or like none, are refused",
        arguments: [
            (" ", "is empty"), ("\\u3000\\t", "is empty"), (" a@x.org", "begins or ends with a space"),
            ("a@x.org\\u00a0", "begins or ends with a space"), ("a@x.org\\n", "has control characters"),
            ("a\\u0000@x.org", "has control characters"), ("a\\u007f@x.org", "has control characters"),
            ("a\\u202egro.x@", "has control characters"), ("a\\u2028@x.org", "has control characters"),
        ]
    )
    func strangeNames(_ name: String, _ mistake: String) throws {
        try AccountWorld.each { world throws in
            let token = try world.signUp("b@x.org").token
            let signUp = try world.send("sign-up", #"{"name": "\#(name)", "password": "correct horse"}"#)
            #expect(signUp.status == 422 && signUp["code"] == "validation", "\(signUp.text)")
            #expect(signUp["errors"]?[0]?["property"] == "name" && signUp.text.contains(mistake), "\(signUp.text)")
            let body = #"{"email": "\#(name)"}"#
            let answers = [
                try world.world.send(as: token, .patch, "/api/users/1", body),
                try world.world.send(as: "admin", .post, "/api/users", body),
                try world.world.send(as: "admin", .post, "/api/users/batch-insert", "[\(body)]"),
                try world.world.send(
                    as: "admin",
                    .post,
                    "/api/users/batch-update",
                    #"{"all": true, "set": \#(body)}"#
                ),
            ]
            for answer in answers {
                #expect(answer.status == 422 && answer.text.contains(mistake), "\(answer.text)")
                #expect(answer["errors"]?[0]?["property"] == "email", "\(answer.text)")
            }
            let empty = try world.send("sign-up", #"{"name": "", "password": "correct horse"}"#)
            #expect(empty.status == 422 && empty.text.contains("“name” is empty."), "\(empty.text)")
        }
    }

    @Test("a sign-in makes a hash with other costs again")
    func renewal() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let cheap = PasswordHash.Cost(exponent: 3, blockSize: 8, parallelism: 1)
            let hash = try PasswordHash(of: Array("correct horse".utf8), cost: cheap).description
            try world.set("passwordHash", .string(hash), of: "a@x.org")
            #expect(try world.send("sign-in", #"{"name": "a@x.org", "password": "wrong horse"}"#).status == 401)
            #expect(try world.stored("passwordHash") == ["a@x.org": .string(hash)])
            let first = try world.signIn("a@x.org")
            guard case .string(let renewed) = try world.stored("passwordHash")["a@x.org"] else { return }
            #expect(hash.hasPrefix("$scrypt$ln=3,") && renewed.hasPrefix("$scrypt$ln=4,"))
            _ = try world.signIn("a@x.org")
            #expect(try world.stored("passwordHash") == ["a@x.org": .string(renewed)])
            #expect(try world.me(first.token).status == 200)
        }
    }

    @Test(
        "a name is a value, whatever it looks like",
        arguments: [
            "' OR '1'=='1", "a@x.org' OR TRUEPREDICATE", "*", "%", "a@x.org\\u0000", "$USER", "%@", "a@x.or?",
            "a@x.org\\\" OR 1==1 --", "TRUEPREDICATE", "nil", "users/1", "A@X.ORG",
        ]
    )
    func predicateTricks(_ name: String) throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let answer = try world.send("sign-in", #"{"name": "\#(name)", "password": "correct horse"}"#)
            #expect(answer.status == 401, "\(answer.text)")
            #expect(try world.send("reset", #"{"name": "\#(name)"}"#).status == 202)
            #expect(world.messages.allSatisfy { $0.kind == .verify })
        }
    }

    @Test(
        "other bodies than texts are refused, without showing what they have",
        arguments: [
            #"{"name": {"$ne": null}, "password": {"$gt": "s3cret-value"}}"#,
            #"{"name": ["a@x.org"], "password": 12345678}"#,
            #"{"name": "a@x.org", "password": ["s3cret-value"]}"#, #"{"name": null, "password": "s3cret-value"}"#,
            #"["s3cret-value"]"#, #""s3cret-value""#, "12345678", "null", "{}", #"{"password": "s3cret-value"}"#,
            #"{"name": "a@x.org", "password": "s3cret-value", "x": "s3cret-value"}"#,
            #"{"name": true, "password": {"s3cret-value": 1}}"#,
        ]
    )
    func garbage(_ body: String) throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            for name in ["sign-in", "sign-up", "refresh", "reset", "reset/confirm", "verify"] {
                let answer = try world.send(name, body)
                #expect(answer.status == 422, "\(name) \(answer.text)")
                #expect(!answer.text.contains("s3cret") && !answer.text.contains("12345678"), "\(answer.text)")
            }
            for body in ["{", "{\"name\": \"a\", \"name\": \"b\"}"] {
                #expect(try world.send("sign-in", body).status == 400, "\(body)")
            }
        }
    }

    @Test("very long names and passwords are refused")
    func longTexts() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let long = String(repeating: "x", count: 1_000_000)
            for body in [
                #"{"name": "a@x.org", "password": "\#(long)"}"#, #"{"name": "\#(long)", "password": "12345678"}"#,
            ] {
                for name in ["sign-in", "sign-up"] {
                    let answer = try world.send(name, body)
                    #expect(answer.status == 422 && answer.text.utf8.count < 2_000, "\(answer.status)")
                }
            }
            for body in [#"{"token": "\#(long)", "password": "12345678"}"#, #"{"token": "\#(long)"}"#] {
                #expect(try world.send(body.contains("pass") ? "reset/confirm" : "verify", body).status == 422)
            }
            #expect(try world.refresh(long).status == 422)
        }
    }

    @Test("an invalid credential keeps nobody from signing in")
    func staleCredentials() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            _ = try world.send("sign-out", nil, as: tokens.token)
            let body = #"{"name": "a@x.org", "password": "correct horse"}"#
            #expect(try world.send("sign-in", body, as: tokens.token).status == 200)
            #expect(try world.send("sign-up", body.replacing("a@", with: "b@"), as: tokens.token).status == 201)
            #expect(try world.send("reset", #"{"name": "a@x.org"}"#, as: "a.b.c").status == 202)
            #expect(try world.world.send(as: tokens.token, .get, "/api/notes").status == 401)
        }
    }

    @Test("answers with tokens aren't stored for repeats")
    func idempotency() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let body = #"{"name": "a@x.org", "password": "correct horse"}"#
            let answers = try (0..<2).map { _ in
                try world.world.send(.post, "/api/auth/sign-in", body, fields: ["Idempotency-Key": "k"])
            }
            #expect(answers[0]["token"] != answers[1]["token"])
            let wrong = body.replacing("horse", with: "house")
            #expect(
                try world.world.send(.post, "/api/auth/sign-in", wrong, fields: ["Idempotency-Key": "k"]).status == 401
            )
        }
    }
}
