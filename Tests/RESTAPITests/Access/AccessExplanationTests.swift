// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Prefer: explain")
struct AccessExplanationTests {
    private func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(access: AccessWritingTests.blog, body)
    }

    /// What an administrator gets in the place of others.
    private func answer(
        _ other: String,
        _ method: HTTPMethod,
        _ target: String,
        _ body: String? = nil,
        in world: APIWorld
    ) throws -> Answer {
        try world.send(
            as: "admin",
            method,
            world.filled(target),
            try body.map(world.filled),
            fields: ["Act-As": other, "Prefer": "explain"]
        )
    }

    @Test("a refused change says which rules there are, and which of their conditions doesn't hold")
    func updates() throws {
        try each { world throws in
            let answer = try answer("role=publisher", .patch, "/api/{Post Saving}", #"{"views": 3}"#, in: world)
            let saving = try world.reference("Post", "Saving")
            let rules: JSONValue = [
                [
                    "object": .string(saving), "entity": "Post", "verb": "update",
                    "sentences": [
                        "if author == $USER and if author == $USER AND published == NO afterwards, by the rule for member (publisher extends member).",
                        "if author != $USER AND published == NO and if views < 100 afterwards, by the rule for publisher.",
                    ],
                    "rules": [
                        [
                            "role": "member", "inheritance": ["publisher", "member"], "where": "author == $USER",
                            "check": "author == $USER AND published == NO", "failed": "where",
                        ],
                        [
                            "role": "publisher", "inheritance": ["publisher"],
                            "where": "author != $USER AND published == NO", "check": "views < 100", "failed": "where",
                        ],
                    ],
                ]
            ]
            #expect(answer.status == 403 && answer["rules"] == rules, "\(answer.text)")
            let created = try self.answer("role=member", .post, "/api/posts", #"{"title": "N"}"#, in: world)
            #expect(created.status == 403 && created["rules"]?[0]?["verb"] == "create", "\(created.text)")
            #expect(created["rules"]?[0]?["rules"]?[0]?["failed"] == "check")
            let group = try self.answer("role=member", .post, "/api/Group", #"{"name": "N"}"#, in: world)
            #expect(group["rules"]?[0]?["sentences"] == ["never: there is no rule."], "\(group.text)")
        }
    }

    @Test("a refused property says who can write it")
    func properties() throws {
        try each { world throws in
            let views = try answer("role=member", .post, "/api/posts", #"{"views": 3}"#, in: world)
            #expect(views["rules"]?[0]?["property"] == "views", "\(views.text)")
            #expect(views["rules"]?[0]?["sentences"] == ["“views” can be written by editor, publisher."])
        }
    }

    @Test("a hidden object's 404 says by which rules it can't be read")
    func hiddenObjects() throws {
        try each { world throws in
            let faults = try world.reference("Post", "Faults")
            for (method, body) in [(HTTPMethod.get, nil), (.patch, #"{"title": "x"}"#), (.delete, nil)] {
                let answer = try answer("role=reader", method, "/api/\(faults)", body, in: world)
                #expect(answer.status == 404 && answer["rules"]?[0]?["object"] == .string(faults), "\(answer.text)")
                #expect(answer["rules"]?[0]?["sentences"] == ["if published == YES, by the rule for reader."])
                #expect(answer["rules"]?[0]?["verb"] == "read")
            }
            let unknown = try answer("role=reader", .get, "/api/users", in: world)
            #expect(unknown.status == 404, "\(unknown.text)")
            #expect(unknown["rules"]?[0]?["sentences"] == ["never: no rule is for this role."], "\(unknown.text)")
            let missing = try answer("role=reader", .get, "/api/posts/999", in: world)
            #expect(missing.status == 404 && missing["rules"] == nil, "\(missing.text)")
        }
    }

    @Test("a deletion's consequences are explained with the names of hidden objects")
    func consequences() throws {
        try each { world throws in
            let rules = try answer("role=tagger", .delete, "/api/{Tag core}", in: world)["rules"]
            #expect(rules?[0]?["sentences"] == [#"if name != "core", by the rule for tagger."#])
            try world.run(AccessStep("editor", .patch, "/api/{Post Faults}", #"{"published": false}"#, answer: 200))
            let comment = try world.reference("Comment", "Well said.")
            let faults = try answer("role=publisher", .delete, "/api/{Post Faults}", in: world)
            let objects = faults["rules"]?.array?.compactMap { $0["object"]?.string } ?? []
            #expect(faults.status == 403 && objects.contains(comment), "\(faults.text)")
        }
    }

    @Test("a refused batch has the rules of its entities")
    func batches() throws {
        try each { world throws in
            for (target, body, verb) in [
                ("batch-insert", #"[{"title": "N"}]"#, "create"),
                ("batch-update", #"{"where": "published == NO", "set": {"published": true}}"#, "update"),
            ] {
                let answer = try answer("role=editor", .post, "/api/Group/\(target)", #"[{"name": "N"}]"#, in: world)
                #expect(answer.status >= 400, "\(answer.text)")
                let posts = try self.answer("role=publisher", .post, "/api/posts/\(target)", body, in: world)
                guard posts.status == 403 else { continue }
                #expect(posts["rules"]?[0]?["verb"]?.string == verb, "\(posts.text)")
            }
            let strict = #"{"all": true, "set": {"title": "N"}, "strict": true}"#
            let answer = try answer("role=publisher", .post, "/api/posts/batch-update", strict, in: world)
            #expect(answer.status == 403 && answer["rules"]?[0]?["entity"] == "Post", "\(answer.text)")
        }
    }

    @Test("only those who administer are told")
    func others() throws {
        try each { world throws in
            let body = #"{"title": "x"}"#
            for identity in ["member bea@example.org", "editor"] {
                let step = AccessStep(
                    identity,
                    .patch,
                    "/api/{Post Saving}",
                    body,
                    answer: identity == "editor" ? 200 : 403,
                    hiding: ["\"rules\"", "author =="],
                    prefer: "explain"
                )
                try world.run(step)
            }
            try world.run([
                AccessStep(
                    "editor",
                    .patch,
                    "/api/{Post x}",
                    body,
                    answer: 403,
                    hiding: ["\"rules\"", "author =="],
                    fields: ["Act-As": "role=member", "Prefer": "explain"]
                ),
                // Without the preference, they get what others get.
                AccessStep(
                    "admin",
                    .patch,
                    "/api/{Post x}",
                    body,
                    answer: 403,
                    hiding: ["\"rules\"", "author =="],
                    fields: ["Act-As": "role=publisher"]
                ),
                AccessStep("admin", .get, "/api/{Post x}", answer: 200, prefer: "explain"),
            ])
        }
    }
}
