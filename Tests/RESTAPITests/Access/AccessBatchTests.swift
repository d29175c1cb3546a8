// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Batches under access rules")
struct AccessBatchTests {
    /// Members read published posts and their own, and change their own.
    private static let blog = """
        {
          "identity": {
            "accounts": {"entity": "User", "name": "email", "password": "note"},
            "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "email == $CLAIMS.email"}
          },
          "roles": {"member": {}, "editor": {}, "admin": {"administers": true}},
          "rules": {
            "Post": {
              "read": {"member": "published == YES OR author == $USER", "editor": true},
              "create": {"member": "author == $USER AND published == NO AND author.age > 30", "editor": true},
              "update": {
                "member": {"where": "author == $USER", "check": "published == NO AND author.name != 'Cem' AND views < 100"},
                "editor": true
              },
              "delete": {"member": "author == $USER AND published == NO", "editor": true},
              "properties": {"rating": {"read": ["editor"]}, "score": {"write": ["editor"]}}
            },
            "Comment": {"read": {"editor": true}, "delete": {"member": true, "editor": "text != 'Well said.'"}},
            "User": {"read": {"member": "name != 'Bea'", "editor": true}, "delete": {"editor": true}},
            "Page": {"delete": {"member": true, "editor": true}},
            "Tag": {"read": {"member": "name != 'data'", "editor": true}, "create": {"member": true}, "delete": {"member": true}}
          }
        }
        """

    private static let anna = "member anna@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws { try APIWorld.each(access: Self.blog, body) }

    private func views(_ world: APIWorld) throws -> [String] {
        let items = try world.send(as: "admin", .get, "/api/posts?sort=title")["items"]?.array ?? []
        return items.map { "\($0["title"]?.string ?? "") \($0["views"]?.int64 ?? -1)" }
    }

    @Test("an update changes what can be read and changed")
    func updates() throws {
        try each { world throws in
            let answer = try world.send(
                as: Self.anna,
                .post,
                "/api/posts/batch-update",
                #"{"where": "published == NO", "set": {"views": 7}}"#
            )
            #expect(answer.status == 200 && answer["count"] == 2, "\(answer.text)")
            #expect(
                try views(world) == [
                    "Contexts 0", "Faults 7", "Merging 40", "Saving 20", "Undo 7", "Élan 50",
                ]
            )
            let expression =
                #"{"where": "published == NO", "set": {"views": {"expression": "views + 1"}}, "result": "ids"}"#
            let second = try world.send(as: Self.anna, .post, "/api/posts/batch-update", expression)
            #expect(second["ids"]?.array?.count == 2, "\(second.text)")
        }
    }

    @Test(
        "an update after which a check wouldn't hold is refused",
        arguments: [
            #"{"where": "published == NO", "set": {"published": true}}"#,
            #"{"where": "published == NO", "set": {"author": "CEM"}}"#,
            #"{"where": "published == NO", "set": {"views": {"expression": "views + 90"}}}"#,
            // It leaves a published one published.
            #"{"all": true, "set": {"views": 1}}"#,
            #"{"all": true, "set": {"score": 1}}"#,
            #"{"where": "published == NO", "set": {"views": 1}, "strict": true, "where": "published == YES"}"#,
        ]
    )
    func refusals(_ body: String) throws {
        try each { world throws in
            let body = body.replacing("CEM", with: try world.reference("User", "Cem"))
            let before = try views(world)
            let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-update", body)
            #expect(answer.status == 403 || answer.status == 400, "\(body): \(answer.text)")
            #expect(try views(world) == before)
        }
    }

    @Test("a strict batch is refused if readable objects would be left out")
    func strictness() throws {
        try each { world throws in
            let all = #"{"where": "author.name == 'Bea' OR published == NO", "set": {"views": 1}, "strict": STRICT}"#
            let published =
                #"{"where": "title == 'Merging' OR published == NO", "set": {"views": 1}, "strict": STRICT}"#
            for (body, status) in [(all, 200), (published, 403)] {
                let strict = body.replacing("STRICT", with: "true")
                let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-update", strict)
                #expect(answer.status == status, "\(strict): \(answer.text)")
            }
            let lenient = try world.send(
                as: Self.anna,
                .post,
                "/api/posts/batch-update",
                published.replacing("STRICT", with: "false")
            )
            #expect(lenient.status == 200 && lenient["count"] == 2, "\(lenient.text)")
        }
    }

    @Test("conditions and values don't see what can't be read")
    func oracles() throws {
        try each { world throws in
            let hidden = #"{"where": "author.name == 'Bea'", "set": {"views": 1}}"#
            #expect(try world.send(as: Self.anna, .post, "/api/posts/batch-update", hidden)["count"] == 0)
            let property = #"{"where": "rating > 1", "set": {"views": 1}}"#
            #expect(try world.send(as: Self.anna, .post, "/api/posts/batch-update", property).status == 400)
            let bea = try world.reference("User", "Bea")
            let reference = #"{"where": "published == NO", "set": {"author": "\#(bea)"}}"#
            let missing = reference.replacing(bea, with: "users/999")
            let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-update", reference)
            let other = try world.send(as: Self.anna, .post, "/api/posts/batch-update", missing)
            #expect(answer.status == 422 && other.status == 422, "\(answer.text) \(other.text)")
        }
    }

    @Test("a deletion deletes what can be read and deleted")
    func deletions() throws {
        try each { world throws in
            let saving = try world.reference("Post", "Saving")
            let faults = try world.reference("Post", "Faults")
            let élan = try world.reference("Post", "Élan")
            let hidden = try world.send(as: Self.anna, .post, "/api/posts/batch-delete", #"{"ids": ["\#(élan)"]}"#)
            #expect(hidden.status == 422, "\(hidden.text)")
            let some = #"{"ids": ["\#(saving)", "\#(faults)"]}"#
            let strict = try world.send(
                as: Self.anna,
                .post,
                "/api/posts/batch-delete",
                some.replacing("}", with: #", "strict": true}"#)
            )
            #expect(strict.status == 400 || strict.status == 403, "\(strict.text)")
            let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-delete", #"{"where": "views >= 0"}"#)
            #expect(answer["count"] == 2, "\(answer.text)")
            #expect(try views(world) == ["Contexts 0", "Merging 40", "Saving 20", "Élan 50"])
        }
    }

    @Test("a deletion with consequences that rules restrict is refused")
    func cascades() throws {
        try each { world throws in
            // Comments of posts are deleted with these, and editors may not delete all comments.
            let answer = try world.send(as: "editor", .post, "/api/posts/batch-delete", #"{"all": true}"#)
            #expect(answer.status == 403, "\(answer.text)")
            #expect(answer["detail"]?.string?.contains("comments") == true)
            #expect(try views(world).count == 6)
            #expect(try world.send(as: Self.anna, .post, "/api/users/batch-delete", #"{"all": true}"#)["count"] != 3)
        }
    }

    @Test("each inserted row is checked, and all or none are inserted")
    func insertions() throws {
        try each { world throws in
            let anna = try world.reference("User", "Anna")
            let bea = try world.reference("User", "Bea")
            let good = #"[{"title": "A", "author": "\#(anna)"}, {"title": "B", "author": "\#(anna)", "views": 3}]"#
            let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-insert", good)
            #expect(answer.status == 200 && answer["count"] == 2, "\(answer.text)")
            for row in [
                #"{"title": "C"}"#, #"{"title": "C", "author": "\#(anna)", "published": true}"#,
                #"{"title": "C", "author": "\#(bea)"}"#, #"{"title": "C", "author": "\#(anna)", "score": 1}"#,
                #"{"title": "C", "author": "\#(anna)", "rating": 1}"#,
            ] {
                let rows = #"[{"title": "D", "author": "\#(anna)"}, \#(row)]"#
                let answer = try world.send(as: Self.anna, .post, "/api/posts/batch-insert", rows)
                #expect([403, 422].contains(answer.status), "\(row): \(answer.text)")
            }
            #expect(try world.send(as: "admin", .get, "/api/posts?result=count")["count"] == 8)
            let merging = try world.send(
                as: Self.anna,
                .post,
                "/api/tags/batch-insert",
                #"[{"name": "core"}]"#,
                fields: ["Prefer": "merge=overwrite"]
            )
            #expect(merging.status == 403)
            // A value that a hidden object has is taken, but its holder isn't named.
            let taken = try world.send(as: Self.anna, .post, "/api/tags/batch-insert", #"[{"name": "data"}]"#)
            #expect(taken.status == 409, "\(taken.text)")
            #expect(!taken.text.contains(try world.reference("Tag", "data")), "\(taken.text)")
        }
    }
}
