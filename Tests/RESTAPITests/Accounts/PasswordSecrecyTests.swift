// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Secrecy of passwords")
struct PasswordSecrecyTests {
    private static let identities = ["editor", "admin"]

    private func each(_ body: (AccountWorld, String, String) throws -> Void) throws {
        let access = AccountWorld.access.replacing(
            #""update": {"member": "SELF == $USER"}"#,
            with: #""update": {"member": "SELF == $USER", "editor": true}"#
        ).replacing(#""create": {"public": true}"#, with: #""create": {"public": true, "editor": true}"#)
        for identity in Self.identities {
            try AccountWorld.each(access: access) { world throws in
                let path = try world.signUp("a@x.org").user["_id"]?.string ?? ""
                try body(world, identity, path)
            }
        }
    }

    @Test("the attribute isn't read, selected, filtered, sorted, aggregated, searched or exported by anyone")
    func reading() throws {
        try each { world, identity, path in
            for target in [
                "/api/\(path)", "/api/users", "/api/users?include=notes", "/api/users?result=dictionary",
                "/api/model", "/schemas/User", "/openapi.json", "/api", "/api/queries", "/api/\(path)/history",
                "/api/history",
            ] {
                let answer = try world.world.send(as: identity, .get, target)
                // Those who administer may change the model, and set passwords.
                let isModel =
                    ["/api/model", "/schemas/User", "/openapi.json", "/api"].contains(target) && identity == "admin"
                #expect(!answer.text.contains("scrypt"), "\(target): \(answer.text)")
                #expect(isModel || !answer.text.contains("passwordHash"), "\(identity) \(target): \(answer.text)")
            }
            for type in ["application/x-ndjson", "text/csv"] {
                let answer = try world.world.send(as: identity, .get, "/api/users", fields: [.accept: type])
                #expect(answer.status == 200 && answer.text.contains("a@x.org") && !answer.text.contains("scrypt"))
            }
            for query in [
                "select=passwordHash", "where=passwordHash!=nil", "sort=passwordHash", "passwordHash=x",
                "result=dictionary&aggregate=m:max(passwordHash)", "result=dictionary&group=passwordHash",
                "where=ANY notes.owner.passwordHash BEGINSWITH '$'", "include=notes(sort:owner.passwordHash)",
                "select=password", "where=SELF.passwordHash!=nil",
            ] {
                let answer = try world.world.send(as: identity, .get, "/api/users?" + query)
                #expect(answer.status == 400, "\(identity) \(query): \(answer.text)")
                #expect(answer["hint"]?.string?.contains("passwordHash") != true)
            }
            let template = try world.world.send(as: identity, .get, "/api/queries/byHash?BEGINNING=$")
            #expect(template.status == 404, "\(identity): \(template.text)")
            let fetch = try world.world.send(
                as: identity,
                .post,
                "/api/users/fetch",
                #"{"where": "passwordHash BEGINSWITH '$'"}"#
            )
            #expect(fetch.status == 400)
        }
    }

    @Test("generic routes write it for those who administer alone, and batches and drafts never")
    func writing() throws {
        try each { world, identity, path in
            let before = try world.stored("passwordHash")
            let isAdmin = identity == "admin"
            for (method, target, body) in [
                (HTTPMethod.patch, "/api/\(path)", #"{"passwordHash": "plain text"}"#),
                (.put, "/api/\(path)", #"{"email": "a@x.org", "passwordHash": "plain text"}"#),
                (.post, "/api/users", #"{"email": "b@x.org", "passwordHash": "plain text"}"#),
                (.post, "/api/users/batch-update", #"{"all": true, "set": {"passwordHash": "plain text"}}"#),
                (
                    .post, "/api/users/batch-update",
                    #"{"all": true, "set": {"name": {"expression": "passwordHash"}}}"#
                ),
                (.post, "/api/users/batch-insert", #"[{"email": "b@x.org", "passwordHash": "plain text"}]"#),
                (
                    .post, "/api/transaction",
                    #"{"operations": [{"update": "\#(path)", "values": {"passwordHash": "plain text"}}]}"#
                ),
                (.post, "/api/notes", #"{"text": "x", "owner": {"email": "b@x.org", "passwordHash": "plain text"}}"#),
            ] {
                let answer = try world.world.send(as: identity, method, target, body)
                let isWritten = isAdmin && !target.contains("batch")
                let expected = isWritten ? [200, 201, 204, 409] : [400, 403, 422]
                #expect(expected.contains(answer.status), "\(identity) \(target): \(answer.text)")
                #expect(!answer.text.contains("scrypt") && !answer.text.contains("plain text"), "\(answer.text)")
                if isAdmin { #expect(answer.status >= 400 || !answer.text.contains("assword"), "\(answer.text)") }
            }
            #expect(try (world.stored("passwordHash")["a@x.org"] == before["a@x.org"]) == !isAdmin)
            _ = try world.signIn("a@x.org", isAdmin ? "plain text" : AccountWorld.password)
        }
    }

    @Test("a PUT keeps the password")
    func replacing() throws {
        try each { world, identity, path in
            let answer = try world.world.send(
                as: identity,
                .put,
                "/api/\(path)",
                #"{"email": "a@x.org", "name": "Anna"}"#
            )
            #expect([200, 403].contains(answer.status), "\(answer.text)")
            _ = try world.signIn("a@x.org")
        }
    }

    @Test("drafts neither show nor write it")
    func drafts() throws {
        try AccountWorld.each { world throws in
            let path = try world.signUp("a@x.org").user["_id"]?.string ?? ""
            let opened = try world.world.send(as: "admin", .post, "/api/contexts", "{}")
            let draft = "/api/contexts/" + (opened["context"]?.string ?? "")
            #expect(opened.status == 201)
            let read = try world.world.send(as: "admin", .get, "\(draft)/\(path)")
            #expect(read["email"] == "a@x.org" && !read.text.contains("assword"), "\(read.text)")
            let change = try world.world.send(as: "admin", .patch, "\(draft)/\(path)", #"{"passwordHash": "x"}"#)
            #expect(change.status == 422, "\(change.text)")
            #expect(try world.world.send(as: "admin", .patch, "\(draft)/\(path)", #"{"name": "Anna"}"#).status == 200)
            #expect(try world.world.send(as: "admin", .get, "\(draft)/users?where=passwordHash!=nil").status == 400)
            for name in ["changes", "openapi.json"] {
                #expect(
                    try !world.world.send(as: "admin", .get, "\(draft)/\(name)").text.contains("assword"),
                    "\(name)"
                )
            }
            #expect(try world.world.send(as: "admin", .post, "\(draft)/save").status == 200)
            #expect(try world.stored("name")["a@x.org"] == "Anna")
            _ = try world.signIn("a@x.org")
        }
    }

    @Test("the messages of a failed save don't show a hash")
    func validation() throws {
        try AccountWorld.each { world throws in
            let answer = try world.send("sign-up", #"{"name": "x", "password": "correct horse"}"#)
            #expect(answer.status == 422 && answer["errors"]?[0]?["property"] == "name", "\(answer.text)")
            #expect(answer["errors"]?[0]?["code"] == "too-short" && !answer.text.contains("scrypt"))
        }
    }
}
