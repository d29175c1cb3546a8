// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Predicates
import Testing

@testable import RESTAPI

@Suite("Passwords that those who administer set")
struct GivenPasswordTests {
    private static let other = "another password"

    @Test("an account that exists gets its first password from those who administer, and can sign in")
    func givenPassword() throws {
        try AccountWorld.each { world throws in
            let made = try world.world.send(as: "admin", .post, "/api/users", #"{"email": "a@x.org"}"#)
            let path = "/api/" + (made["_id"]?.string ?? "")
            let body = #"{"passwordHash": "\#(AccountWorld.password)"}"#
            let answer = try world.world.send(as: "admin", .patch, path, body)
            #expect(answer.status == 200 && !answer.text.contains("assword"), "\(answer.text)")
            let tokens = try world.signIn("a@x.org")
            #expect(try world.stored("passwordHash")["a@x.org"].map { "\($0)" }?.contains("$scrypt$") == true)
            let own = try world.world.send(as: tokens.token, .patch, path, body)
            #expect(own.status == 422 && own["errors"]?[0]?["code"] == "unknown", "\(own.text)")
            let rehearsed = try world.world.send(as: "admin", .patch, path + "?dryRun=true", body)
            #expect(rehearsed.status == 200 && !rehearsed.text.contains("assword"), "\(rehearsed.text)")
            #expect(try world.me(tokens.token).status == 200, "nothing was changed")
        }
    }

    @Test("another password that those who administer set ends all sessions of the account, and of no other")
    func replacedPassword() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            let other = try world.signUp("b@x.org")
            let path = "/api/" + (tokens.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: "admin", .patch, path, #"{"name": "Anna"}"#).status == 200)
            #expect(try world.me(tokens.token).status == 200)
            let body = #"{"passwordHash": "\#(Self.other)"}"#
            #expect(try world.world.send(as: "admin", .patch, path, body).status == 200)
            #expect(try [tokens, other].map { try world.me($0.token).status } == [401, 200])
            #expect(try world.refresh(tokens.refreshToken).status == 401)
            #expect(try world.send("sign-in", #"{"name": "a@x.org", "password": "correct horse"}"#).status == 401)
            _ = try world.signIn("a@x.org", Self.other)
            let removed = try world.world.send(as: "admin", .patch, path, #"{"passwordHash": null}"#)
            #expect(removed.status == 200, "\(removed.text)")
            let refused = try world.send("sign-in", #"{"name": "a@x.org", "password": "\#(Self.other)"}"#)
            #expect(refused.status == 401 && refused["hint"]?.string?.contains("POST /api/auth/reset") == true)
        }
    }

    @Test(
        "a password that those who administer set must be one, and isn't in the refusal",
        arguments: [#""short1""#, "17", #"["correct horse"]"#, "\"" + String(repeating: "long", count: 300) + "\""]
    )
    func badPassword(value: String) throws {
        try AccountWorld.each { world throws in
            let path = "/api/" + (try world.signUp("a@x.org").user["_id"]?.string ?? "")
            let answer = try world.world.send(as: "admin", .patch, path, #"{"passwordHash": \#(value)}"#)
            #expect(answer.status == 422 && answer["errors"]?[0]?["property"] == "passwordHash", "\(answer.text)")
            #expect(!answer.text.contains(value.filter { $0 != "\"" && $0 != "[" && $0 != "]" }) || value == "17")
            _ = try world.signIn("a@x.org")
        }
    }

    @Test("only those who administer are told in the OpenAPI document that a password can be set")
    func describedPassword() throws {
        try AccountWorld.each { world throws in
            let document = try world.world.send(as: "admin", .get, "/openapi.json")
            let schemas = document["components"]?["schemas"]
            for (name, member) in [
                ("UserCreate", nil), ("UserReplace", nil), ("UserPatch", nil), ("UserInsertOperation", "values"),
                ("UserUpdateOperation", "values"),
            ] {
                let schema = member.map { schemas?[name]?["properties"]?[$0] } ?? schemas?[name]
                let text = schema?.serialized() ?? ""
                #expect(text.contains("passwordHash") && text.contains("writeOnly"), "\(name): \(text)")
            }
            #expect(try !world.world.send(as: "editor", .get, "/openapi.json").text.contains("passwordHash"))
            func index(as role: String) throws -> JSONValue? {
                try world.world.send(as: role, .get, "/api")["entities"]?.array?.first { $0["name"] == "User" }
            }
            #expect(try index(as: "admin")?["writeOnly"] == ["passwordHash"])
            #expect(try index(as: "editor")?["writeOnly"] == nil)
        }
    }
}
