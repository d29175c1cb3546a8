// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import Predicates
import Testing

@testable import RESTAPI

@Suite("Signing up, in and out")
struct SignInTests {
    @Test("an account signs up, and is signed in")
    func signingUp() throws {
        try AccountWorld.each { world throws in
            let answer = try world.send("sign-up", #"{"name": "a@x.org", "password": "correct horse"}"#)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.fields[.cacheControl]?.contains("no-store") == true)
            let tokens = try Tokens(answer)
            let reference = try #require(tokens.user["_id"]?.string)
            #expect(answer.fields[.location] == "/api/\(reference)")
            #expect(tokens.user["email"] == "a@x.org")
            #expect(answer["expires"]?.string?.hasSuffix("Z") == true)
            let me = try world.me(tokens.token)
            #expect(me["user"]?["_id"]?.string == reference && me["roles"] == ["member", "public"], "\(me.text)")
            #expect(me["claims"] == .object(JSONObject()))
            guard case .string(let hash) = try world.stored("passwordHash")["a@x.org"] else {
                Issue.record("No password is stored.")
                return
            }
            #expect(hash.hasPrefix("$scrypt$"))
        }
    }

    @Test("a sign-up is described with the properties that the rules permit to write")
    func description() throws {
        try AccountWorld.each { world throws in
            let document = try world.world.send(as: nil, .get, "/openapi.json")
            let operation = document["paths"]?["/api/auth/sign-up"]?["post"]
            let schema = operation?["requestBody"]?["content"]?["application/json"]?["schema"]
            // The entity has a property called name besides.
            #expect(schema?["required"] == ["email", "password"], "\(operation ?? .null)")
            #expect(schema?["properties"]?.object?.names == ["_entity", "password", "email", "name", "notes"])
            #expect(schema?["additionalProperties"] == false)
        }
    }

    @Test("an account signs in with its password alone")
    func signingIn() throws {
        try AccountWorld.each { world throws in
            let first = try world.signUp("a@x.org")
            let second = try world.signIn("a@x.org")
            #expect(first.token != second.token && first.refreshToken != second.refreshToken)
            #expect(second.user == first.user)
            #expect(try [first, second].map { try world.me($0.token).status } == [200, 200])
        }
    }

    @Test("$USER is the account, and its objects are its own")
    func user() throws {
        try AccountWorld.each { world throws in
            let a = try world.signUp("a@x.org").token
            let b = try world.signUp("b@x.org").token
            #expect(try world.world.send(as: a, .post, "/api/notes", #"{"text": "mine"}"#).status == 201)
            #expect(try world.world.list(as: a, "/api/notes", "text") == ["mine"])
            #expect(try world.world.list(as: b, "/api/notes", "text") == [])
            #expect(try world.world.list(as: b, "/api/users", "email") == ["b@x.org"])
            #expect(try world.world.send(as: nil, .get, "/api/users").status == 200)
            #expect(try world.world.list(as: nil, "/api/users", "email") == [])
        }
    }

    @Test("other properties of the body are written by the rules")
    func properties() throws {
        try AccountWorld.each { world throws in
            let body = #"{"email": "a@x.org", "name": "Anna", "password": "correct horse", "notes": [{"text": "x"}]}"#
            let answer = try world.send("sign-up", body)
            // The nested note belongs to nobody that anonymous may create notes for.
            #expect(answer.status == 403, "\(answer.text)")
            let tokens = try Tokens(world.send("sign-up", body.replacing(#", "notes": [{"text": "x"}]"#, with: "")))
            #expect(tokens.user["name"] == "Anna" && tokens.user["email"] == "a@x.org")
            #expect(try world.signIn("a@x.org").user == tokens.user)
            let short = try world.send("sign-up", #"{"email": "b@x.org", "name": "B", "password": "correct horse"}"#)
            #expect(short.status == 422 && short["errors"]?[0]?["property"] == "name", "\(short.text)")
            let unknown = try world.send("sign-up", #"{"name": "b@x.org", "password": "correct horse", "color": 1}"#)
            #expect(unknown.status == 422 && unknown["errors"]?[0]?["code"] == "unknown", "\(unknown.text)")
        }
    }

    @Test("a sign-up needs a rule")
    func permission() throws {
        let access = AccountWorld.access.replacing(#""create": {"public": true}"#, with: #""create": {"editor": true}"#)
        try AccountWorld.each(access: access) { world throws in
            let body = #"{"name": "a@x.org", "password": "correct horse"}"#
            #expect(try world.send("sign-up", body).status == 403)
            #expect(try world.send("sign-up", body, as: "editor").status == 201)
            #expect(try world.send("sign-up", body.replacing("a@", with: "b@"), as: "admin").status == 201)
        }
        let condition = AccountWorld.access.replacing(
            #""create": {"public": true}"#,
            with: #""create": {"public": "email ENDSWITH '@x.org'"}"#
        )
        try AccountWorld.each(access: condition) { world throws in
            #expect(try world.send("sign-up", #"{"name": "a@y.org", "password": "correct horse"}"#).status == 403)
            try world.signUp("a@x.org")
        }
    }

    @Test("a taken name is a conflict, and nothing is changed")
    func takenNames() throws {
        try AccountWorld.each { world throws in
            try world.signUp("a@x.org")
            let before = try world.stored("passwordHash")
            for fields in [HeaderFields(), ["Prefer": "merge=overwrite"], ["Prefer": "merge=object"]] {
                let answer = try world.world.send(
                    .post,
                    "/api/auth/sign-up",
                    #"{"name": "a@x.org", "password": "another password"}"#,
                    fields: fields
                )
                #expect(answer.status == 409 && answer["code"] == "unique", "\(answer.text)")
                #expect(
                    answer["errors"]?[0]?["property"] == "name" && !answer.text.contains("users/"),
                    "\(answer.text)"
                )
                #expect(!answer.text.contains("merge="), "\(answer.text)")
            }
            #expect(try world.stored("passwordHash") == before)
        }
    }

    @Test("a taken name is said to be taken also where rules hide it")
    func takenHiddenName() throws {
        let deletion = #""delete": {"member": "SELF == $USER"}"#
        let hiding = deletion + #", "properties": {"email": {"read": ["editor"]}}"#
        try AccountWorld.each(access: AccountWorld.access.replacing(deletion, with: hiding)) { world throws in
            try world.signUp("a@x.org")
            let answer = try world.send("sign-up", #"{"email": "a@x.org", "password": "\#(AccountWorld.password)"}"#)
            #expect(answer.status == 409 && answer["detail"] == "The name is taken.", "\(answer.text)")
            #expect(answer["errors"]?[0]?["pointer"] == "/email")
        }
    }

    @Test("passwords have at least 8 characters and at most 1024 bytes")
    func passwordRules() throws {
        try AccountWorld.each { world throws in
            let long = String(repeating: "ä", count: 512)
            for (password, code) in [("1234567", "too-short"), ("", "type"), (long + "x", "too-long")] {
                let answer = try world.send("sign-up", #"{"name": "a@x.org", "password": "\#(password)"}"#)
                #expect(answer.status == 422 && answer["errors"]?[0]?["code"]?.string == code, "\(answer.text)")
                #expect(answer["errors"]?[0]?["property"] == "password")
                #expect(password.isEmpty || !answer.text.contains(password))
            }
            _ = try Tokens(world.send("sign-up", #"{"name": "a@x.org", "password": "\#(long)"}"#))
            _ = try world.signIn("a@x.org", long)
            _ = try Tokens(world.send("sign-up", #"{"name": "b@x.org", "password": "👩‍👩‍👧‍👦1234567"}"#))
        }
    }

    @Test("a session is continued by its refresh token")
    func refreshing() throws {
        try AccountWorld.each { world throws in
            let first = try world.signUp("a@x.org")
            world.wait(901)
            #expect(try world.me(first.token).status == 401)
            let second = try Tokens(world.refresh(first.refreshToken))
            #expect(second.user == first.user)
            #expect(try world.me(second.token).status == 200)
            world.wait(AccountSessions.lifetime + 1)
            #expect(try world.refresh(second.refreshToken).status == 401)
        }
    }

    @Test("a spent refresh token ends the session, with the tokens of its thief")
    func theft() throws {
        try AccountWorld.each { world throws in
            let first = try world.signUp("a@x.org")
            let other = try world.signIn("a@x.org")
            let thief = try Tokens(world.refresh(first.refreshToken))
            #expect(try world.refresh(first.refreshToken).status == 401)
            #expect(try world.refresh(thief.refreshToken).status == 401)
            #expect(try [thief, first].map { try world.me($0.token).status } == [401, 401])
            #expect(try world.me(other.token).status == 200)
        }
    }

    @Test("a sign-out ends one session, or all")
    func signingOut() throws {
        try AccountWorld.each { world throws in
            let tokens = try [world.signUp("a@x.org")] + (0..<3).map { _ in try world.signIn("a@x.org") }
            let other = try world.signUp("b@x.org")
            // Without a body.
            #expect(try world.world.send(as: tokens[0].token, .post, "/api/auth/sign-out").status == 204)
            #expect(try tokens.map { try world.me($0.token).status } == [401, 200, 200, 200])
            #expect(try world.refresh(tokens[0].refreshToken).status == 401)
            #expect(try world.send("sign-out", #"{"everywhere": true}"#, as: tokens[1].token).status == 204)
            #expect(try tokens.map { try world.me($0.token).status } == [401, 401, 401, 401])
            #expect(try world.refresh(tokens[2].refreshToken).status == 401)
            #expect(try world.me(other.token).status == 200)
            #expect(try world.send("sign-out", nil, as: tokens[1].token).status == 401)
        }
    }

    @Test("me says who sends the request")
    func identities() throws {
        try AccountWorld.each { world throws in
            #expect(try world.me(nil).status == 401)
            #expect(try world.me(nil).fields[.wwwAuthenticate] == "Bearer")
            #expect(try world.me("editor")["roles"] == ["editor", "member", "public"])
            #expect(try world.me("editor")["user"] == .null)
            #expect(try world.me("admin").status == 200)
            #expect(try world.me("editor x@y")["claims"]?["email"] == "x@y")
            for name in ["sign-out", "password"] {
                let body = name == "password" ? #"{"old": "12345678", "new": "12345678"}"# : "{}"
                #expect(try world.send(name, body).status == 401)
                #expect(try world.send(name, body, as: "editor").status == 403)
            }
        }
    }

    @Test("without accounts there are no such endpoints", arguments: [nil, AccessReadingTests.blog])
    func absence(_ access: String?) throws {
        try APIWorld.each(access: access) { world throws in
            for name in ["sign-up", "sign-in", "refresh", "reset", "reset/confirm", "verify"] {
                let answer = try world.send(.post, "/api/auth/\(name)", "{}")
                #expect(answer.status == 404 && answer["detail"] == "The server has no accounts.", "\(answer.text)")
            }
            let identity = access == nil ? nil : "editor"
            #expect(try world.send(as: identity, .get, "/api/auth/me").status == (access == nil ? 404 : 200))
            let document = try world.send(as: identity, .get, "/openapi.json")
            let paths = document["paths"]?.object?.names.filter { $0.hasPrefix("/api/auth") }
            #expect(document.status == 200 && paths == (access == nil ? [] : ["/api/auth/me"]))
        }
    }

    @Test("the document describes the endpoints, and the password only as a value that those who administer write")
    func document() throws {
        try AccountWorld.each { world throws in
            for identity in [nil, "editor", "admin"] {
                let text = try world.world.send(as: identity, .get, "/openapi.json").text
                #expect(text.contains("/api/auth/reset/confirm"), "\(identity ?? "")")
                let count = text.components(separatedBy: "\"passwordHash\":").count - 1
                // A sign-up has it under another name.
                #expect(count + 1 == text.components(separatedBy: "\"writeOnly\":true").count - 1)
                #expect((count > 0) == (identity == "admin"), "\(identity ?? "")")
            }
        }
    }
}
