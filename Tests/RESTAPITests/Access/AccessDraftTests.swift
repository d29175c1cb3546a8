// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Drafts under access rules")
struct AccessDraftTests {
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(access: AccessReadingTests.blog, body)
    }

    private func draft(_ world: APIWorld, as identity: String, _ settings: String = "{}") throws -> String {
        let answer = try world.send(as: identity, .post, "/api/contexts", settings)
        #expect(answer.status == 201, "\(answer.text)")
        return "/api/contexts/\(answer["context"]?.string ?? "")"
    }

    @Test("a draft belongs to the identity that opened it, and isn't there for others")
    func owners() throws {
        try each { world throws in
            let draft = try draft(world, as: Self.anna)
            let missing = try world.send(as: Self.bea, .get, "/api/contexts/c99")
            for (method, path) in [
                (HTTPMethod.get, ""), (.get, "/posts"), (.get, "/changes"), (.post, "/save"), (.post, "/undo"),
                (.delete, ""),
            ] {
                let answer = try world.send(as: Self.bea, method, draft + path, method == .post ? "{}" : nil)
                #expect(answer.status == 404, "\(method) \(path): \(answer.text)")
            }
            let hidden = try world.send(as: Self.bea, .get, draft)
            #expect(hidden.text.replacing(draft.suffix(2), with: "") == missing.text.replacing("c99", with: ""))
            #expect(try world.send(as: Self.bea, .get, "/api/contexts")["items"]?.array?.isEmpty == true)
            #expect(try world.send(as: Self.anna, .get, "/api/contexts")["items"]?.array?.count == 1)
            #expect(try world.send(as: "admin", .get, draft).status == 200)
            let child = try world.send(
                as: Self.bea,
                .post,
                "/api/contexts",
                #"{"parent": "\#(draft.split(separator: "/").last ?? "")"}"#
            )
            #expect(child.status == 404, "\(child.text)")
        }
    }

    @Test("an identity that can't be told from others opens no drafts, and sees only those that are shared with it")
    func identitiesWithoutOwner() throws {
        try each { world throws in
            let anonymous = try world.send(as: nil, .post, "/api/contexts", "{}")
            #expect(anonymous.status == 403 && anonymous["code"] == "forbidden", "\(anonymous.text)")
            #expect(anonymous["detail"]?.string?.contains("has no credential") == true, "\(anonymous.text)")
            let unnamed = try world.send(as: "member,shared", .post, "/api/contexts", "{}")
            #expect(unnamed.status == 403 && unnamed.text.contains("has no “sub”"), "\(unnamed.text)")
            // Drafts of those who administer have no owner either.
            for owner in ["admin", Self.anna] {
                let own = try draft(world, as: owner)
                for identity in [nil, "member,shared"] {
                    #expect(try world.send(as: identity, .get, own).status == 404)
                }
            }
            let shared = try draft(world, as: "editor", #"{"sharedWith": ["member"]}"#)
            #expect(try world.send(as: "member,shared", .get, shared).status == 200)
            #expect(try world.send(as: nil, .get, shared).status == 404)
            let name = shared.split(separator: "/").last ?? ""
            let child = try world.send(as: "member,shared", .post, "/api/contexts", #"{"parent": "\#(name)"}"#)
            #expect(child.status == 403, "\(child.text)")
        }
    }

    @Test("a draft can't be shared with roles that there aren't")
    func unknownRoles() throws {
        try each { world throws in
            let roles = #"{"sharedWith": ["editor", "membr", "x"]}"#
            let answer = try world.send(as: Self.anna, .post, "/api/contexts", roles)
            #expect(answer.status == 422, "\(answer.text)")
            let errors = answer["errors"]?.array ?? []
            #expect(errors.map { $0["pointer"] } == ["/sharedWith/1", "/sharedWith/2"])
            #expect(errors.first?["message"] == "There is no role “membr”. Did you mean “member”?")
        }
        let others = #"{"sharedWith": ["x"]}"#
        try APIWorld.each(access: #"{"roles": {"admin": {"administers": true}}}"#) { world throws in
            #expect(try world.send(as: "admin", .post, "/api/contexts", others).status == 422)
            #expect(try world.send(as: "admin", .post, "/api/contexts", #"{"sharedWith": ["admin"]}"#).status == 201)
        }
        try AccountWorld.each { world throws in
            #expect(try world.world.send(as: "admin", .post, "/api/contexts", others).status == 422)
        }
        try APIWorld.each { world throws in
            #expect(try world.send(.post, "/api/contexts", #"{"sharedWith": ["x"]}"#).status == 201)
        }
    }

    @Test("an administrator who acts as a role has other drafts than the role's identities")
    func acting() throws {
        try each { world throws in
            let acting: HeaderFields = ["Act-As": "role=member"]
            let answer = try world.send(as: "admin", .post, "/api/contexts", "{}", fields: acting)
            #expect(answer.status == 201, "\(answer.text)")
            let draft = "/api/contexts/\(answer["context"]?.string ?? "")"
            #expect(try world.send(as: "admin", .get, draft, fields: acting).status == 200)
            #expect(try world.send(as: Self.anna, .get, draft).status == 404)
            #expect(
                try world.send(as: "admin", .get, try self.draft(world, as: Self.anna), fields: acting).status == 404
            )
        }
    }

    @Test("a draft shows and changes what its user may read and change")
    func rules() throws {
        try each { world throws in
            let draft = try draft(world, as: Self.anna)
            #expect(
                try world.list(as: Self.anna, "\(draft)/posts?sort=views") == [
                    "Contexts", "Faults", "Saving", "Undo", "Merging",
                ]
            )
            let élan = try world.reference("Post", "Élan")
            let faults = try world.reference("Post", "Faults")
            let merging = try world.reference("Post", "Merging")
            #expect(try world.send(as: Self.anna, .get, "\(draft)/\(élan)").status == 404)
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(élan)", #"{"title": "x"}"#).status == 404)
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(merging)", #"{"title": "x"}"#).status == 403)
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"views": 1}"#).status == 403)
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"published": true}"#).status == 403)
            #expect(try world.send(as: Self.anna, .delete, "\(draft)/\(faults)").status == 403)
            // What was refused left nothing behind.
            #expect(try world.send(as: Self.anna, .get, draft)["hasChanges"] == false)
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"title": "Errors"}"#).status == 200)
            let new = try world.send(as: Self.anna, .post, "\(draft)/posts", #"{"title": "New"}"#)
            let anna = try world.reference("User", "Anna")
            #expect(new.status == 201 && new["author"]?.string == anna, "\(new.text)")
            #expect(new["rating"] == nil)
            let changes = try world.send(as: Self.anna, .get, "\(draft)/changes")
            #expect(changes["inserted"]?.array?.count == 1 && changes["updated"]?.array?.count == 2, "\(changes.text)")
            #expect(
                try world.send(
                    as: Self.anna,
                    .post,
                    "\(draft)/posts/batch-update",
                    #"{"all": true, "set": {"title": "x"}}"#
                ).status == 403
            )
            let saved = try world.send(as: Self.anna, .post, "\(draft)/save", "{}")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try world.list(as: "editor", "/api/posts?where=title=='Errors' OR title=='New'").count == 2)
        }
    }

    @Test("a shared draft is judged by the rules of each user, and saved by those of the saver")
    func sharing() throws {
        try each { world throws in
            let draft = try draft(world, as: "editor", #"{"sharedWith": ["member"]}"#)
            let élan = try world.reference("Post", "Élan")
            let faults = try world.reference("Post", "Faults")
            #expect(
                try world.send(as: "editor", .patch, "\(draft)/\(élan)", #"{"rating": 5, "title": "Vigour"}"#).status
                    == 200
            )
            // Anna can't read it, so that she doesn't see the change.
            let changes = try world.send(as: Self.anna, .get, "\(draft)/changes")
            #expect(changes["updated"]?.array?.isEmpty == true, "\(changes.text)")
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"title": "Errors"}"#).status == 200)
            let refused = try world.send(as: Self.anna, .post, "\(draft)/save", "{}")
            #expect(refused.status == 403, "\(refused.text)")
            #expect(!refused.text.contains(élan))
            #expect(try world.send(as: "nothing", .get, draft).status == 404)
            #expect(try world.send(as: "editor", .post, "\(draft)/save", "{}").status == 200)
            #expect(try world.list(as: "editor", "/api/posts?where=title=='Errors' OR title=='Vigour'").count == 2)
        }
    }

    @Test("rules that have changed since a change count when it is saved")
    func laterRules() throws {
        try each { world throws in
            let draft = try draft(world, as: Self.anna)
            let faults = try world.reference("Post", "Faults")
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"title": "Errors"}"#).status == 200)
            // The post becomes another's.
            let bea = try world.reference("User", "Bea")
            #expect(try world.send(as: "admin", .patch, "/api/\(faults)", #"{"author": "\#(bea)"}"#).status == 200)
            let answer = try world.send(as: Self.anna, .post, "\(draft)/save", "{}")
            #expect(answer.status == 403, "\(answer.text)")
        }
    }
}
