// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Predicates
import Testing

@testable import RESTAPI

@Suite("Other names of accounts")
struct RenamedAccountTests {
    /// Signs up, and verifies the account.
    private func verified(_ world: AccountWorld, _ name: String = "a@x.org") throws -> String {
        let token = try world.signUp(name).token
        try verify(world)
        #expect(try world.stored("isVerified")[name] == .bool(true))
        return token
    }

    private func verify(_ world: AccountWorld, answer status: Int = 204) throws {
        let sent = try #require(world.messages.last { $0.kind == .verify })
        #expect(try world.send("verify", #"{"token": "\#(sent.token)"}"#).status == status)
    }

    private func patch(_ world: AccountWorld, _ json: String, as identity: String) throws -> Answer {
        try world.world.send(as: identity, .patch, "/api/users/1", json)
    }

    @Test("an account with another name is unverified, and gets a message to the new name")
    func renaming() throws {
        try AccountWorld.each { world throws in
            let token = try verified(world)
            #expect(try patch(world, #"{"name": "Ana"}"#, as: token).status == 200)
            #expect(try patch(world, #"{"email": "a@x.org"}"#, as: token).status == 200)
            #expect(try world.stored("isVerified") == ["a@x.org": .bool(true)])
            let answer = try patch(world, #"{"email": "b@x.org"}"#, as: token)
            #expect(answer.status == 200 && answer["isVerified"] == false, "\(answer.text)")
            #expect(try world.stored("isVerified") == ["b@x.org": .bool(false)])
            #expect(world.messages.map(\.name) == ["a@x.org", "b@x.org"])
            try verify(world)
            #expect(try world.stored("isVerified") == ["b@x.org": .bool(true)])
        }
    }

    @Test("nobody keeps the mark by writing it along with the name, except those who may write it")
    func marking() throws {
        try AccountWorld.each { world throws in
            let token = try verified(world)
            #expect(try patch(world, #"{"email": "b@x.org", "isVerified": true}"#, as: token).status == 200)
            #expect(try world.stored("isVerified") == ["b@x.org": .bool(false)])
            #expect(try patch(world, #"{"isVerified": true}"#, as: token).status == 403)
            #expect(try patch(world, #"{"email": "c@x.org", "isVerified": true}"#, as: token).status == 403)
            #expect(try patch(world, #"{"email": "c@x.org", "isVerified": true}"#, as: "admin").status == 200)
            #expect(try world.stored("isVerified") == ["c@x.org": .bool(true)])
            #expect(try patch(world, #"{"email": "d@x.org"}"#, as: "admin").status == 200)
            #expect(try world.stored("isVerified") == ["d@x.org": .bool(false)])
            #expect(try patch(world, #"{"isVerified": false}"#, as: token).status == 200)
        }
    }

    @Test("a batch and a transaction that change names make accounts unverified, too")
    func batches() throws {
        try AccountWorld.each { world throws in
            let token = try verified(world)
            let batch = try world.world.send(
                as: token,
                .post,
                "/api/users/batch-update",
                #"{"all": true, "set": {"email": "b@x.org"}}"#
            )
            #expect(batch.status == 200, "\(batch.text)")
            #expect(try world.stored("isVerified") == ["b@x.org": .bool(false)])
            #expect(try patch(world, #"{"isVerified": true}"#, as: "admin").status == 200)
            let transaction = try world.world.send(
                as: token,
                .post,
                "/api/transaction",
                #"{"operations": [{"update": "users/1", "values": {"email": "c@x.org"}}]}"#
            )
            #expect(transaction.status == 200, "\(transaction.text)")
            #expect(try world.stored("isVerified") == ["c@x.org": .bool(false)])
        }
    }

    @Test("the save of a draft with another name makes the account unverified, and a failed one changes nothing")
    func drafts() throws {
        try AccountWorld.each { world throws in
            let token = try verified(world)
            try world.signUp("taken@x.org")
            let draft = "/api/contexts/c1"
            #expect(try world.world.send(as: token, .post, "/api/contexts", "{}").status == 201)
            let user = draft + "/users/1"
            #expect(try world.world.send(as: token, .patch, user, #"{"email": "taken@x.org"}"#).status == 200)
            #expect(try world.world.send(as: token, .post, draft + "/save", "{}").status == 409)
            #expect(try world.world.send(as: token, .get, user)["isVerified"] == true)
            #expect(try world.world.send(as: token, .patch, user, #"{"email": "\u0007"}"#).status == 200)
            let strange = try world.world.send(as: token, .post, draft + "/save", "{}")
            #expect(strange.status == 422 && strange.text.contains("control characters"), "\(strange.text)")
            #expect(try world.world.send(as: token, .patch, user, #"{"email": "b@x.org"}"#).status == 200)
            let saved = try world.world.send(as: token, .post, draft + "/save", "{}")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try world.stored("isVerified")["b@x.org"] == .bool(false))
            #expect(world.messages.last?.name == "b@x.org")
            try verify(world)
        }
    }

    @Test("an account that is verified while a draft has another name for it is unverified by the save")
    func overtakenDraft() throws {
        try AccountWorld.each { world throws in
            let token = try world.signUp("a@x.org").token
            for (number, settings) in ["{}", #"{"automaticallyMergesChanges": false}"#].enumerated() {
                try world.set("isVerified", .bool(false), of: number == 0 ? "a@x.org" : "0@x.org")
                let opened = try world.world.send(as: token, .post, "/api/contexts", settings)
                let draft = "/api/contexts/\(opened["context"]?.string ?? "")"
                let body = #"{"email": "\#(number)@x.org"}"#
                #expect(try world.world.send(as: token, .patch, draft + "/users/1", body).status == 200)
                try world.set("isVerified", .bool(true), of: number == 0 ? "a@x.org" : "0@x.org")
                let fields: HeaderFields = ["Prefer": "merge=object"]
                let saved = try world.world.send(as: token, .post, draft + "/save", "{}", fields: fields)
                #expect(saved.status == 200 || saved.status == 409, "\(saved.text)")
                #expect(try world.stored("isVerified")["\(number)@x.org"] != .bool(true), "\(settings)")
                if saved.status != 200 { #expect(try world.stored("email")["0@x.org"] != nil) }
            }
        }
    }
}
