// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Identities
import JSON
import Predicates
import Testing

@testable import RESTAPI

@Suite("Roles of accounts")
struct AccountRolesTests {
    @Test("an account has the roles of its attribute that the file has")
    func roles() throws {
        try AccountWorld.each { world throws in
            let token = try world.signUp("a@x.org").token
            try world.signUp("b@x.org")
            #expect(try world.world.list(as: token, "/api/users", "email") == ["a@x.org"])
            try world.set("role", "other, editor ,admin2", of: "a@x.org")
            #expect(try world.me(token)["roles"] == ["editor", "member", "public"])
            #expect(try world.world.list(as: token, "/api/users?sort=email", "email") == ["a@x.org", "b@x.org"])
            try world.set("role", .null, of: "a@x.org")
            #expect(try world.world.list(as: token, "/api/users", "email") == ["a@x.org"])
        }
    }

    @Test("an account becomes an administrator, and is one no longer, with the next request")
    func administration() throws {
        try AccountWorld.each { world throws in
            let token = try world.signUp("a@x.org").token
            #expect(try world.world.send(as: token, .get, "/api/stats").status == 403)
            try world.set("role", "admin", of: "a@x.org")
            #expect(try world.world.send(as: token, .get, "/api/stats").status == 200)
            #expect(try world.me(token)["user"]?["email"] == "a@x.org")
            try world.set("role", "", of: "a@x.org")
            #expect(try world.world.send(as: token, .get, "/api/stats").status == 403)
        }
    }

    @Test("neither a sign-up nor an update of one's own object gives a role, or verifies it")
    func escalation() throws {
        try AccountWorld.each { world throws in
            for other in [#", "role": "admin""#, #", "isVerified": true"#] {
                let body = #"{"name": "m@x.org", "password": "correct horse"\#(other)}"#
                let answer = try world.send("sign-up", body)
                #expect(answer.status == 403 && answer["errors"]?[0]?["pointer"] != nil, "\(answer.text)")
            }
            #expect(try world.stored("role").isEmpty)
            let tokens = try world.signUp("a@x.org")
            let path = "/api/" + (tokens.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: tokens.token, .patch, path, #"{"name": "Anna"}"#).status == 200)
            for body in [#"{"role": "admin"}"#, #"{"isVerified": true}"#] {
                #expect(try world.world.send(as: tokens.token, .patch, path, body).status == 403)
                let batch = #"{"all": true, "set": \#(body)}"#
                #expect(try world.world.send(as: tokens.token, .post, "/api/users/batch-update", batch).status == 403)
                let answer = try world.world.send(
                    as: tokens.token,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"update": "\#(path.dropFirst(5))", "values": \#(body)}]}"#
                )
                #expect(answer.status == 403, "\(answer.text)")
            }
            #expect(try world.stored("role")["a@x.org"] == .null)
            #expect(try world.stored("isVerified")["a@x.org"] == .bool(false))
        }
    }

    @Test("a rule may permit sign-ups with a role")
    func permittedRoles() throws {
        let access = AccountWorld.access.replacing(
            #""update": {"member": "SELF == $USER"}"#,
            with: #""properties": {"role": {"write": ["public"]}}"#
        ).replacing(#""create": {"public": true}"#, with: #""create": {"public": "role IN {'editor'}"}"#)
        try AccountWorld.each(access: access) { world throws in
            let token = try world.signUp("a@x.org", #", "role": "editor""#).token
            #expect(try world.me(token)["roles"] == ["editor", "member", "public"])
            let answer = try world.send("sign-up", #"{"name": "b@x.org", "password": "12345678", "role": "admin"}"#)
            #expect(answer.status == 403)
        }
    }

    @Test("rules see whether an account is verified, with the next request")
    func verification() throws {
        let access = AccountWorld.access.replacing(
            "owner == $USER\"}, \"set\"",
            with: "$USER.isVerified == YES\"}, \"set\""
        )
        try AccountWorld.each(access: access) { world throws in
            let token = try world.signUp("a@x.org").token
            let note = #"{"text": "x"}"#
            #expect(try world.world.send(as: token, .post, "/api/notes", note).status == 403)
            let verification = try #require(world.messages.last?.token)
            #expect(try world.send("verify", #"{"token": "\#(verification)"}"#).status == 204)
            #expect(try world.world.send(as: token, .post, "/api/notes", note).status == 201)
        }
    }

    @Test("an account's roles are known without reading once they were read, so that its requests can be counted")
    func knownRoles() throws {
        try AccountWorld.each { world throws in
            let accounts = try world.outside.accounts()
            let identity = Identity(name: "users/1", roles: [], account: "x-coredata://s/User/p1")
            #expect(accounts.knownRoles(of: identity) == nil)
            accounts.record(["editor"], of: "x-coredata://s/User/p1")
            #expect(accounts.knownRoles(of: identity) == ["editor"])
            #expect(accounts.knownRoles(of: Identity(name: "key", roles: ["editor"])) == nil)
        }
    }

    @Test("the tokens of a deleted account are refused")
    func deletion() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            let path = "/api/" + (tokens.user["_id"]?.string ?? "")
            #expect(try world.world.send(as: tokens.token, .delete, path).status == 204)
            #expect(try world.me(tokens.token).status == 401)
            #expect(try world.world.send(as: tokens.token, .get, "/api/notes").status == 401)
            #expect(try world.refresh(tokens.refreshToken).status == 401)
            let name = #"{"name": "a@x.org", "password": "correct horse"}"#
            #expect(try world.send("sign-in", name).status == 401)
            // Another account with the name isn't the same one.
            try world.signUp("a@x.org")
            #expect(try world.me(tokens.token).status == 401)
        }
    }

    @Test("an administrator acts as an account")
    func acting() throws {
        try AccountWorld.each { world throws in
            let tokens = try world.signUp("a@x.org")
            try world.signUp("b@x.org")
            let reference = try #require(tokens.user["_id"]?.string)
            let fields: HeaderFields = ["Act-As": reference]
            let users = try world.world.send(as: "admin", .get, "/api/users", fields: fields)
            #expect(users["items"]?.array?.map { $0["email"] } == ["a@x.org"], "\(users.text)")
            #expect(try world.world.send(as: "admin", .get, "/api/stats", fields: fields).status == 403)
            #expect(try world.world.send(as: tokens.token, .get, "/api/users", fields: fields).status == 403)
            let missing: HeaderFields = ["Act-As": "users/999"]
            let answer = try world.world.send(as: "admin", .get, "/api/users", fields: missing)
            #expect(answer.status == 404 && answer.fields[.wwwAuthenticate] == nil)
            #expect(answer["detail"] == "“Act-As” names an account that doesn't exist: users/999.")
        }
    }
}
