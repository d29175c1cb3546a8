// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Relationships under access rules")
struct AccessRelationshipTests {
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    @Test(
        "a hidden object is missing where a body refers to it",
        arguments: [
            (#"{"tags": ["{Tag data}"]}"#, #"{"tags": ["tags/999"]}"#),
            (#"{"tags": [{"_id": {"name": "data"}}]}"#, #"{"tags": [{"_id": {"name": "none"}}]}"#),
            (#"{"author": "{User Cem}"}"#, #"{"author": "users/999"}"#),
            (#"{"tags": {"remove": ["{Tag data}"]}}"#, #"{"tags": {"remove": ["tags/999"]}}"#),
            (#"{"tags": [{"_id": "{Tag data}", "name": "x"}]}"#, #"{"tags": [{"_id": "tags/999", "name": "x"}]}"#),
        ]
    )
    func references(_ hidden: String, _ missing: String) throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            func answer(_ body: String) throws -> String {
                let answer = try world.send(as: Self.anna, .patch, "/api/" + world.reference("Post", "Undo"), body)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.text.contains(#""code":"reference""#))
                let names = [
                    try world.reference("Tag", "data"), try world.reference("User", "Cem"), "tags/999", "users/999",
                    // The body's own values.
                    #"\"data\""#, #"\"none\""#,
                ]
                return names.reduce(answer.text) { $0.replacing($1, with: "x") }.replacing(
                    /"(line|column)":\d+/,
                    with: ""
                )
            }
            #expect(try answer(world.filled(hidden)) == answer(missing))
        }
    }

    @Test("values of a property that can't be read don't name an object")
    func uniqueValues() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            for address in ["bea@example.org", "none@example.org"] {
                try world.run(
                    AccessStep(
                        Self.anna,
                        .patch,
                        "/api/{Post Undo}",
                        #"{"author": {"_id": {"email": "\#(address)"}}}"#,
                        answer: 422,
                        showing: ["uniqueness constraint"],
                        hiding: [#"Use {"#]
                    )
                )
            }
        }
    }

    @Test("adding and removing are updates of the object whose row changes and of the one that is named")
    func members() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            let core = try world.reference("Tag", "core").split(separator: "/")[1]
            let data = try world.reference("Tag", "data").split(separator: "/")[1]
            try world.run([
                AccessStep(Self.anna, .post, "/api/{Post Faults}/tags", #"["{Tag swift}"]"#, answer: 200),
                AccessStep(Self.anna, .delete, "/api/{Post Faults}/tags/\(core)", answer: 200),
                AccessStep(Self.bea, .post, "/api/{Post Saving}/tags", #"["{Tag swift}"]"#, answer: 403),
                AccessStep(Self.bea, .delete, "/api/{Post Saving}/tags/\(core)", answer: 403),
                AccessStep(Self.bea, .post, "/api/{Post Faults}/tags", #"["{Tag swift}"]"#, answer: 404),
                // The same for a hidden member as for one that isn't there.
                AccessStep(
                    Self.anna,
                    .delete,
                    "/api/{Post Undo}/tags/\(data)",
                    answer: 404,
                    showing: ["doesn't contain"]
                ),
                AccessStep(Self.anna, .delete, "/api/{Post Undo}/tags/999", answer: 404, showing: ["doesn't contain"]),
                AccessStep(Self.anna, .put, "/api/{Post Undo}/tags/\(data)", answer: 404),
                // The tag is named, and can't be changed by members.
                AccessStep(Self.anna, .post, "/api/{Tag core}/posts", #"["{Post Faults}"]"#, answer: 403),
                AccessStep("tagger", .post, "/api/{Tag core}/posts", #"["{Post Merging}"]"#, answer: 200),
                AccessStep("tagger", .post, "/api/{Tag core}/posts", #"["{Post Faults}"]"#, answer: 422),
                // The post's row would change.
                AccessStep(Self.anna, .put, "/api/{Post Faults}/author", #""{User Bea}""#, answer: 403),
                AccessStep("editor", .put, "/api/{Post Faults}/author", #""{User Bea}""#, answer: 200),
                AccessStep("editor", .put, "/api/{Post Faults}/author", #""{User Anna}""#, answer: 200),
                // A to-many property that isn't writable.
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{User Bea}",
                    #"{"posts": {"add": [{"title": "Mine"}]}}"#,
                    answer: 403,
                    showing: [#""pointer":"/posts""#]
                ),
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{User Bea}",
                    #"{"posts": {"remove": ["{Post Élan}"]}}"#,
                    answer: 403
                ),
                AccessStep(Self.bea, .patch, "/api/{User Bea}", #"{"name": "Bea B."}"#, answer: 200),
                AccessStep(Self.bea, .patch, "/api/{User Anna}", #"{"name": "A."}"#, answer: 403),
                AccessStep(Self.bea, .post, "/api/{Group Writers}/members", #"["{User Cem}"]"#, answer: 422),
                AccessStep(Self.bea, .patch, "/api/{Group Writers}", #"{"members": ["{User Anna}"]}"#, answer: 200),
            ])
        }
    }

    @Test("members that can't be read remain when the others are replaced")
    func hiddenMembers() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            func tags(_ identity: String) throws -> [String] {
                let undo = "/api/" + (try world.reference("Post", "Undo"))
                return try world.list(as: identity, undo + "/tags?sort=name", "name")
            }
            #expect(try tags(Self.anna) == ["core", "swift"])
            try world.run(AccessStep(Self.anna, .put, "/api/{Post Undo}/tags", #"["{Tag core}"]"#, answer: 200))
            #expect(try tags("editor") == ["core", "data"])
            try world.run(AccessStep(Self.anna, .patch, "/api/{Post Undo}", #"{"tags": []}"#, answer: 200))
            #expect(try tags("editor") == ["data"])
            #expect(try tags(Self.anna) == [])
            try world.run(AccessStep("editor", .patch, "/api/{Post Undo}", #"{"tags": []}"#, answer: 200))
            #expect(try tags("editor") == [])
        }
    }

    @Test("positions count only members that can be read")
    func positions() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            let post = "/api/" + (try world.reference("Post", "Élan"))
            func pages(_ identity: String) throws -> [String] { try world.list(as: identity, post + "/pages", "text") }
            for text in ["three", "four"] {
                try world.run(AccessStep(Self.bea, .post, post + "/pages", #"{"text": "\#(text)"}"#, answer: 201))
            }
            #expect(try pages("editor") == ["one", "two", "three", "four"])
            #expect(try pages(Self.bea) == ["one", "three", "four"])
            let four = try world.reference("Page", "four").split(separator: "/")[1]
            let target = "\(post)/pages/\(four)"
            try world.run([
                AccessStep(Self.bea, .put, target + "?at=3", answer: 400, showing: ["there are 3 members"]),
                AccessStep(Self.bea, .put, target + "?at=1", answer: 200),
            ])
            #expect(try pages(Self.bea) == ["one", "four", "three"])
            #expect(try pages("editor") == ["one", "two", "four", "three"])
            try world.run(AccessStep(Self.bea, .put, target + "?at=2", answer: 200))
            #expect(try pages(Self.bea) == ["one", "three", "four"])
            try world.run([
                AccessStep(
                    Self.bea,
                    .patch,
                    post,
                    #"{"pages": {"move": [{"_id": "{Page four}", "to": 0}]}}"#,
                    answer: 200
                ),
                AccessStep(Self.bea, .patch, post, #"{"pages": ["{Page three}", "{Page four}"]}"#, answer: 403),
            ])
            #expect(try pages(Self.bea) == ["four", "one", "three"])
            #expect(try pages("editor").count == 4)
        }
    }

    @Test("nested objects are created and changed as if alone")
    func nesting() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .patch,
                    "/api/{Post Undo}",
                    #"{"tags": {"add": [{"name": "fresh"}]}}"#,
                    answer: 200
                ),
                AccessStep(
                    Self.anna,
                    .patch,
                    "/api/{Post Undo}",
                    #"{"tags": {"add": [{"_id": "{Tag core}", "name": "x"}]}}"#,
                    answer: 403,
                    showing: [#""pointer":"/tags/add/0""#, "{Tag core}"]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/posts",
                    #"{"title": "Pages", "pages": [{"text": "a"}, {"text": "b"}]}"#,
                    answer: 201
                ),
                // The nested post is another one's by the body, but forced.
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/comments",
                    #"{"text": "c", "post": {"title": "Nested", "author": "{User Bea}", "views": 9}}"#,
                    answer: 403,
                    showing: [#""pointer":"/post/views""#]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/comments",
                    #"{"text": "c", "post": {"title": "N", "published": true}}"#,
                    answer: 403
                ),
                AccessStep("editor", .get, "/api/comments?result=count", answer: 200, showing: [#""count":1"#]),
            ])
        }
    }

    @Test("a transaction is all or nothing")
    func transactions() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"update": "{Post Faults}", "values": {"title": "F"}}, {"update": "{Post Saving}", "values": {"title": "S"}}]}"#,
                    answer: 403,
                    showing: [#""pointer":"/operations/1/values""#, "{Post Saving}"],
                    hiding: ["/operations/0", "{Post Faults}"]
                ),
                AccessStep(Self.anna, .get, "/api/{Post Faults}", answer: 200),
                AccessStep(
                    Self.bea,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"delete": "{Post Faults}"}, {"insert": "Post", "values": {"title": "N"}}]}"#,
                    answer: 422,
                    showing: ["There is no object {Post Faults}."]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"insert": "Post", "id": "$p", "values": {"title": "N"}}, {"insert": "Comment", "values": {"text": "hi", "post": "$p"}}, {"delete": "{Post Undo}"}]}"#,
                    answer: 200,
                    showing: [#""$p":"posts/"#]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/transaction",
                    #"{"operations": [{"insert": "Secret", "values": {}}]}"#,
                    answer: 422
                ),
            ])
        }
    }
}
