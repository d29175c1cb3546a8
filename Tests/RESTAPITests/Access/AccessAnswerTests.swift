// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Answers to writes under access rules")
struct AccessAnswerTests {
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"
    private static let publisher = "publisher bea@example.org"

    /// Undo's author can't be read by members.
    private func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            try world.run(
                AccessStep("editor", .patch, "/api/{Post Undo}", #"{"author": "{User Cem}", "rating": 4}"#, answer: 200)
            )
            try body(world)
        }
    }

    @Test("a new object with taken values changes the one that has them only if that may be changed")
    func upserts() throws {
        try each { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags",
                    #"{"name": "swift"}"#,
                    answer: 200,
                    showing: ["{Tag swift}"],
                    prefer: "merge=overwrite"
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags",
                    #"{"name": "core"}"#,
                    answer: 409,
                    hiding: ["{Tag core}"],
                    prefer: "merge=overwrite, return=representation"
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags",
                    #"{"name": "data"}"#,
                    answer: 409,
                    showing: [#""holder":null"#],
                    hiding: ["{Tag data}", "merge="],
                    prefer: "merge=overwrite"
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags",
                    #"{"name": "data"}"#,
                    answer: 409,
                    showing: [#""holder":null"#],
                    hiding: ["{Tag data}", "merge="]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags?dryRun=true",
                    #"{"name": "data"}"#,
                    answer: 409,
                    hiding: ["{Tag data}"],
                    prefer: "merge=object"
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/tags",
                    #"{"name": "core"}"#,
                    answer: 409,
                    showing: [#""holder":"{Tag core}""#]
                ),
                AccessStep("editor", .get, "/api/tags?result=count", answer: 200, showing: [#""count":3"#]),
            ])
        }
    }

    @Test("an object with taken values is deleted for another one only if it may be deleted")
    func displacements() throws {
        try each { world throws in
            let body = #"{"name": "core"}"#
            try world.run([
                AccessStep("tagger", .patch, "/api/{Tag swift}", body, answer: 409, prefer: "merge=store"),
                AccessStep("tagger", .patch, "/api/{Tag swift}", body, answer: 403, prefer: "merge=overwrite"),
                AccessStep("tagger", .patch, "/api/{Tag swift}?dryRun=true", body, answer: 403, prefer: "merge=object"),
                AccessStep(
                    "tagger",
                    .patch,
                    "/api/{Tag swift}",
                    #"{"name": "data"}"#,
                    answer: 409,
                    hiding: ["{Tag data}"],
                    prefer: "merge=overwrite"
                ),
                AccessStep("editor", .get, "/api/tags?result=count", answer: 200, showing: [#""count":3"#]),
                AccessStep("editor", .patch, "/api/{Tag swift}", body, answer: 200, prefer: "merge=overwrite"),
                AccessStep("tagger", .patch, "/api/{Tag core}", #"{"name": "one"}"#, answer: 200),
                AccessStep("tagger", .post, "/api/tags", #"{"name": "two"}"#, answer: 201),
                AccessStep(
                    "tagger",
                    .patch,
                    "/api/{Tag one}",
                    #"{"name": "two"}"#,
                    answer: 200,
                    prefer: "merge=object"
                ),
                AccessStep("editor", .get, "/api/tags?result=count", answer: 200, showing: [#""count":2"#]),
            ])
        }
    }

    @Test(
        "answers of writes have nothing hidden",
        arguments: [
            ("/api/{Post Undo}", HTTPMethod.patch, #"{"title": "Undo"}"#),
            ("/api/{Post Undo}", .patch, #"{"price": 5}"#),
            ("/api/{Post Undo}?dryRun=true", .patch, #"{"price": 6}"#),
            ("/api/{Post Undo}", .put, #"{"title": "Undo", "price": 7}"#),
            ("/api/{Post Undo}?dryRun=true", .put, #"{"title": "Undo", "price": 7}"#),
            ("/api/transaction", .post, #"{"operations": [{"update": "{Post Undo}", "values": {"price": 8}}]}"#),
            (
                "/api/transaction?dryRun=true", .post,
                #"{"operations": [{"update": "{Post Undo}", "values": {"price": 9}}]}"#
            ),
        ]
    )
    func answers(_ path: String, _ method: HTTPMethod, _ body: String) throws {
        for prefer in ["return=representation", "return=changes", "return=representation, merge=overwrite"] {
            for isRepeatable in [false, true] {
                try each { world throws in
                    var fields: HeaderFields = [.prefer: prefer]
                    if isRepeatable { fields[.idempotencyKey] = "key" }
                    let step = AccessStep(
                        Self.publisher,
                        method,
                        path,
                        body,
                        answer: 200,
                        showing: [#""author":null"#],
                        hiding: ["{User Cem}", "rating", "commentCount", "Cem"],
                        fields: fields
                    )
                    let first = try world.run(step)
                    if isRepeatable, method == .post, !path.contains("dryRun") {
                        #expect(try world.run(step).text == first.text)
                    }
                }
            }
        }
    }

    @Test("a deletion's answer has nothing hidden")
    func deletions() throws {
        let blog = AccessWritingTests.blog.replacing(
            #""delete": {"member": "author == $USER AND published == NO""#,
            with: #""delete": {"publisher": true"#
        )
        try APIWorld.each(access: blog) { world throws in
            try world.run([
                AccessStep("editor", .patch, "/api/{Post Undo}", #"{"author": "{User Cem}"}"#, answer: 200),
                AccessStep("publisher", .delete, "/api/{Post Saving}", answer: 403, showing: ["Another object"]),
                AccessStep(
                    "publisher",
                    .delete,
                    "/api/{Post Undo}",
                    answer: 200,
                    showing: [#""author":null"#],
                    hiding: ["{User Cem}"],
                    prefer: "return=representation"
                ),
            ])
        }
    }

    @Test("conflicts and failed preconditions show what the identity can read")
    func conflicts() throws {
        try each { world throws in
            try world.run([
                AccessStep(
                    Self.publisher,
                    .patch,
                    "/api/{Post Undo}",
                    #"{"title": "U"}"#,
                    answer: 412,
                    showing: [#""current":{"#, #""author":null"#],
                    hiding: ["{User Cem}", "rating", "commentCount"],
                    fields: [.ifMatch: "\"0\""]
                ),
                AccessStep(
                    Self.publisher,
                    .patch,
                    "/api/{Post Undo}",
                    #"{"_version": 1, "author": "{User Bea}"}"#,
                    answer: 409,
                    showing: [#""stored":null"#],
                    hiding: ["{User Cem}", "rating"]
                ),
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{Post Undo}",
                    #"{"title": "U"}"#,
                    answer: 404,
                    hiding: ["current"],
                    fields: [.ifMatch: "\"0\""]
                ),
                AccessStep(
                    Self.bea,
                    .patch,
                    "/api/{Post Saving}",
                    #"{"title": "U"}"#,
                    answer: 403,
                    fields: [.ifMatch: "*"]
                ),
            ])
        }
    }

    @Test("an answer stored for an identity isn't another one's")
    func repeats() throws {
        try each { world throws in
            let fields: HeaderFields = [.idempotencyKey: "one"]
            let body = #"{"title": "Once"}"#
            let first = try world.send(as: Self.anna, .post, "/api/posts", body, fields: fields)
            let again = try world.send(as: Self.anna, .post, "/api/posts", body, fields: fields)
            let other = try world.send(as: Self.bea, .post, "/api/posts", body, fields: fields)
            let administrator = try world.send(as: "admin", .post, "/api/posts", body, fields: fields)
            #expect(first.status == 201 && again.text == first.text && again.fields["Idempotency-Replayed"] == "true")
            #expect(other.status == 201 && other["_id"] != first["_id"] && other["author"] != first["author"])
            #expect(administrator.status == 201 && administrator["_id"] != first["_id"])
            #expect(try world.send(as: nil, .post, "/api/posts", body, fields: fields).status == 403)
            #expect(try world.send(as: "editor", .get, "/api/posts?where=title=='Once'")["items"]?.array?.count == 3)
        }
    }

    @Test("bytes are read and written like their objects")
    func bytes() throws {
        try each { world throws in
            func send(_ identity: String?, _ method: HTTPMethod, _ target: String) throws -> Int {
                var fields: HeaderFields = [.contentType: "application/octet-stream"]
                if let identity { fields[.authorization] = "Bearer \(identity)" }
                let body = HTTPRequestBody.bytes(method == .put ? [1, 2, 3] : [])
                let target = try world.filled(target)
                return try world.answer(to: HTTPRequest(method, target, fields: fields, body: body)).status
            }
            #expect(try send(Self.anna, .put, "/api/{Post Faults}/picture") == 204)
            #expect(try send(Self.bea, .put, "/api/{Post Faults}/picture") == 404)
            #expect(try send(Self.bea, .get, "/api/{Post Faults}/picture") == 404)
            #expect(try send(Self.bea, .delete, "/api/{Post Faults}/picture") == 404)
            #expect(try send(nil, .get, "/api/{Post Faults}/picture") == 404)
            #expect(try send(Self.anna, .get, "/api/{Post Faults}/picture") == 200)
            #expect(try send("editor", .put, "/api/{Post Saving}/picture") == 204)
            #expect(try send(nil, .get, "/api/{Post Saving}/picture") == 200)
            #expect(try send(Self.anna, .put, "/api/{Post Saving}/picture") == 403)
            #expect(try send(Self.anna, .delete, "/api/{Post Saving}/picture") == 403)
            #expect(try send(nil, .put, "/api/{Post Saving}/picture") == 403)
            #expect(try send(Self.anna, .delete, "/api/{Post Faults}/picture") == 204)
        }
    }

    @Test("errors don't name properties that can't be read")
    func names() throws {
        let blog = AccessWritingTests.blog
            .replacing(
                #""create": {"member": true}, "delete""#,
                with: #""create": {"member": true}, "properties": {"text": {"read": ["editor"]}}, "delete""#
            )
            .replacing(
                #""posts": {"write": ["editor"]}}"#,
                with: #""posts": {"write": ["editor"]}}, "set": {"email": "$CLAIMS.email"}"#
            )
        try APIWorld.each(access: blog) { world throws in
            try world.run([
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/comments",
                    #"{"post": "{Post Saving}"}"#,
                    answer: 422,
                    showing: [#""code":"required""#],
                    hiding: ["text\"", "text is", "“text”"]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/comments?dryRun=true",
                    #"{"post": "{Post Saving}", "createdAt": "x"}"#,
                    answer: 422,
                    hiding: ["text\"", "text is", "“text”"]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/users",
                    #"{"name": "Another Anna"}"#,
                    answer: 409,
                    showing: [#""code":"unique""#],
                    hiding: ["email", "anna@example.org"]
                ),
                AccessStep(
                    Self.anna,
                    .post,
                    "/api/users",
                    #"{"name": "Another Anna"}"#,
                    answer: 200,
                    hiding: ["email"],
                    prefer: "merge=overwrite"
                ),
            ])
        }
    }

    @Test("identities with rules use the served version of the model")
    func versions() throws {
        try each { world throws in
            let answer = try world.send(as: Self.anna, .get, "/api/posts", fields: ["Accept-Model": "other"])
            #expect(answer.status >= 400, "\(answer.text)")
            #expect(try world.send(as: nil, .get, "/api/users", fields: ["Accept-Model": "other"]).status >= 400)
            #expect(try world.send(as: nil, .get, "/api/posts", fields: ["Accept-Model": "other"]).status == 409)
        }
    }
}
