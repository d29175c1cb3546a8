// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Saves of drafts under access rules")
struct AccessDraftSaveTests {
    /// Members change posts of their own, create users, tags and comments, and don't see old users and one tag.
    private static let rules = """
        {
          "identity": {
            "accounts": {"entity": "User", "name": "email", "password": "note"},
            "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "email == $CLAIMS.email"}
          },
          "roles": {"member": {}, "editor": {}, "admin": {"administers": true}},
          "rules": {
            "Post": {
              "read": {"member": "published == YES OR author == $USER", "editor": true},
              "create": {"member": "author == $USER", "editor": true},
              "update": {"member": "author == $USER", "editor": true},
              "set": {"author": "$USER"}
            },
            "User": {
              "read": {"member": "age < 50", "editor": true}, "create": {"member": true},
              "update": {"member": "SELF == $USER", "editor": true}
            },
            "Tag": {
              "read": {"member": "name != 'data'", "editor": true}, "create": {"member": true},
              "update": {"member": "name == 'swift'"}
            },
            "Page": {"read": {"member": true}, "create": {"member": true}},
            "Comment": {"read": {"member": "post.published == YES", "editor": true}, "create": {"member": true}}
          }
        }
        """

    private static let anna = "member anna@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws { try APIWorld.each(access: Self.rules, body) }

    private func draft(_ world: APIWorld, _ settings: String = "{}") throws -> String {
        let answer = try world.send(as: Self.anna, .post, "/api/contexts", settings)
        #expect(answer.status == 201, "\(answer.text)")
        return "/api/contexts/\(answer["context"]?.string ?? "")"
    }

    private func save(_ world: APIWorld, _ draft: String, _ prefer: String? = nil) throws -> Answer {
        let fields: HeaderFields = prefer.map { [.prefer: $0] } ?? [:]
        return try world.send(as: Self.anna, .post, "\(draft)/save", "{}", fields: fields)
    }

    @Test(
        "objects that the user may not change aren't merged into by a unique value",
        arguments: ["object", "overwrite"]
    )
    func uniqueValues(policy: String) throws {
        try each { world throws in
            for email in ["bea@example.org", "cem@example.org"] {
                let before = try world.send(as: "admin", .get, "/api/users?sort=_id").text
                let draft = try draft(world)
                let new = try world.send(
                    as: Self.anna,
                    .post,
                    "\(draft)/users",
                    #"{"name": "Taken", "age": 3, "email": "\#(email)"}"#
                )
                #expect(new.status == 201, "\(new.text)")
                let saved = try save(world, draft, "merge=\(policy)")
                #expect(saved.status == 403, "\(saved.text)")
                #expect(try !saved.text.contains(world.reference("User", "Cem")))
                #expect(try world.send(as: "admin", .get, "/api/users?sort=_id").text == before)
                // What is pending is still there.
                #expect(try world.send(as: Self.anna, .get, draft)["inserted"] == 1)
            }
        }
    }

    @Test("what has become another's since it was read isn't changed", arguments: ["object", "overwrite", "store"])
    func staleBases(policy: String) throws {
        try each { world throws in
            let draft = try draft(world, #"{"automaticallyMergesChanges": false}"#)
            let faults = try world.reference("Post", "Faults")
            let bea = try world.reference("User", "Bea")
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"title": "Mine"}"#).status == 200)
            #expect(try world.send(as: "editor", .patch, "/api/\(faults)", #"{"author": "\#(bea)"}"#).status == 200)
            let saved = try save(world, draft, "merge=\(policy)")
            #expect(saved.status == 403, "\(saved.text)")
            let post = try world.send(as: "admin", .get, "/api/\(faults)")
            #expect(post["title"] == "Faults" && post["author"]?.string == bea, "\(post.text)")
        }
    }

    @Test("a conflict doesn't show a stored row that can't be read any more")
    func conflicts() throws {
        try each { world throws in
            let draft = try draft(world, #"{"automaticallyMergesChanges": false}"#)
            let faults = try world.reference("Post", "Faults")
            let bea = try world.reference("User", "Bea")
            #expect(try world.send(as: Self.anna, .patch, "\(draft)/\(faults)", #"{"title": "Mine"}"#).status == 200)
            #expect(
                try world.send(
                    as: "editor",
                    .patch,
                    "/api/\(faults)",
                    #"{"author": "\#(bea)", "title": "Secret", "views": 4321}"#
                ).status == 200
            )
            let saved = try save(world, draft)
            #expect([403, 409].contains(saved.status), "\(saved.text)")
            #expect(!saved.text.contains("Secret") && !saved.text.contains("4321") && !saved.text.contains(bea))
        }
    }

    @Test("a value that a creation forces isn't changed by a later request")
    func forcedValues() throws {
        try each { world throws in
            let draft = try draft(world)
            let bea = try world.reference("User", "Bea")
            #expect(try world.send(as: Self.anna, .post, "\(draft)/posts", #"{"title": "New"}"#).status == 201)
            for value in ["\"\(bea)\"", "null"] {
                let answer = try world.send(as: Self.anna, .patch, "\(draft)/posts/t1", "{\"author\": \(value)}")
                #expect(answer.status == 403, "\(answer.text)")
            }
            #expect(
                try world.send(as: Self.anna, .patch, "\(draft)/posts/t1", #"{"title": "Newer"}"#).status == 200
            )
            #expect(try save(world, draft).status == 200)
            let post = try world.send(
                as: "admin",
                .get,
                "/\(world.reference("Post", "Newer"))".replacing("/posts", with: "/api/posts")
            )
            #expect(try post["author"]?.string == world.reference("User", "Anna"), "\(post.text)")
        }
    }

    @Test("members are added to a to-many relationship of an object that may be changed, and to no other")
    func members() throws {
        try each { world throws in
            let draft = try draft(world)
            let faults = try world.reference("Post", "Faults")
            let merging = try world.reference("Post", "Merging")
            let core = try world.reference("Tag", "core")
            // The tag may not be changed, but the post may.
            let added = try world.send(
                as: Self.anna,
                .patch,
                "\(draft)/\(faults)",
                #"{"tags": {"remove": ["\#(core)"]}}"#
            )
            #expect(added.status == 200, "\(added.text)")
            let refused = try world.send(
                as: Self.anna,
                .patch,
                "\(draft)/\(merging)",
                #"{"tags": {"add": ["\#(core)"]}}"#
            )
            #expect(refused.status == 403, "\(refused.text)")
            let saved = try save(world, draft)
            #expect(saved.status == 200, "\(saved.text)")
        }
    }

    @Test("an object is created in another's ordered relationship, which isn't reordered by others")
    func orders() throws {
        try each { world throws in
            let draft = try draft(world)
            let merging = try world.reference("Post", "Merging")
            let undo = try world.reference("Post", "Undo")
            for post in [merging, undo] {
                let new = try world.send(
                    as: Self.anna,
                    .post,
                    "\(draft)/pages",
                    #"{"text": "three", "post": "\#(post)"}"#
                )
                #expect(new.status == 201, "\(new.text)")
            }
            let page = try world.reference("Page", "one")
            let moved = try world.send(
                as: Self.anna,
                .patch,
                "\(draft)/\(merging)",
                #"{"pages": {"move": [{"_id": "\#(page)", "to": 1}]}}"#
            )
            #expect(moved.status >= 400, "\(moved.text)")
            let saved = try save(world, draft)
            #expect(saved.status == 200 && saved["ids"]?.object?.count == 2, "\(saved.text)")
        }
    }

    @Test("the answer of a save has what the user can read")
    func answers() throws {
        try each { world throws in
            let draft = try draft(world)
            for post in ["Faults", "Contexts"] {
                let new = try world.send(
                    as: Self.anna,
                    .post,
                    "\(draft)/comments",
                    #"{"text": "New", "post": "\#(world.reference("Post", post))"}"#
                )
                #expect(new.status == 201, "\(new.text)")
            }
            let saved = try save(world, draft, "return=changes")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(saved["ids"]?.object?.count == 1, "\(saved.text)")
            let written = saved["_changed"]?.array?.compactMap { $0["_id"]?.string } ?? []
            #expect(written.filter { $0.contains("omments") }.count == 1, "\(saved.text)")
        }
    }
}
