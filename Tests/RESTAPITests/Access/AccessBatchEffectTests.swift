// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Effects of batches under access rules")
struct AccessBatchEffectTests {
    private static func rules(_ people: String, passes: String = "", doors: String = "") -> String {
        """
        {
          "roles": {"clerk": {}, "admin": {"administers": true}},
          "rules": {
            "Person": {"read": {"clerk": true}, "create": {"clerk": true}, \(people)},
            "Pass": {"read": {"clerk": true}, "create": {"clerk": true}\(passes)},
            "Door": {"read": {"clerk": true}\(doors)}
          }
        }
        """
    }

    private func each(_ rules: String, _ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(Staff.model, access: rules, filling: Staff.fill, body)
    }

    private static let always = #""update": {"clerk": true}"#

    /// The passes with the names of their owners.
    private func owners(_ world: APIWorld) throws -> [String] {
        let answer = try world.send(as: "admin", .get, "/api/passes?include=owner&sort=name")
        return (answer["items"]?.array ?? []).map {
            "\($0["name"]?.string ?? "") \($0["owner"]?["name"]?.string ?? "–")"
        }
    }

    private static let linking = [
        ("/api/people/batch-update", #"{"where": "name == 'Finn'", "set": {"pass": "{Pass blue}"}}"#),
        ("/api/people/batch-update", #"{"where": "name == 'Emil'", "set": {"pass": null}}"#),
        ("/api/people/batch-insert", #"[{"name": "Gina", "pass": "{Pass blue}"}]"#),
    ]

    @Test(
        "a batch can't set a relationship whose partner is changed along and may not be changed",
        arguments: linking,
        [
            "", #", "update": {"clerk": "name != 'blue'"}"#,
            #", "update": {"clerk": true}, "properties": {"owner": {"write": []}}"#,
        ]
    )
    func partners(_ batch: (path: String, body: String), _ passes: String) throws {
        try each(Self.rules(Self.always, passes: passes)) { world throws in
            try world.run(
                AccessStep(
                    "clerk",
                    .post,
                    batch.path,
                    batch.body,
                    answer: 403,
                    showing: ["“pass”", "in a transaction", #""code":"forbidden""#]
                )
            )
            #expect(try owners(world) == ["blue Emil", "free –", "red Dora"])
        }
    }

    @Test("a batch sets a relationship whose partners may always be changed", arguments: linking)
    func permittedPartners(_ batch: (path: String, body: String)) throws {
        try each(Self.rules(Self.always, passes: #", "update": {"clerk": true}"#)) { world throws in
            try world.run(AccessStep("clerk", .post, batch.path, batch.body, answer: 200))
            #expect(try owners(world)[0] != "blue Emil")
        }
    }

    @Test("a batch that links can't unlink the partner's former partner without its rule")
    func formerPartners() throws {
        let own = #""update": {"clerk": "name != 'Emil'"}"#
        try each(Self.rules(own, passes: #", "update": {"clerk": true}"#)) { world throws in
            try world.run([
                AccessStep("clerk", .post, Self.linking[0].0, Self.linking[0].1, answer: 403),
                AccessStep("clerk", .post, Self.linking[2].0, Self.linking[2].1, answer: 403),
                AccessStep(
                    "clerk",
                    .post,
                    "/api/people/batch-update",
                    #"{"where": "name == 'Dora'", "set": {"pass": null}}"#,
                    answer: 200
                ),
                AccessStep("clerk", .post, "/api/people/batch-insert", #"[{"name": "Hans"}]"#, answer: 200),
                AccessStep(
                    "clerk",
                    .post,
                    "/api/people/batch-insert",
                    #"[{"name": "Ida", "pass": null}]"#,
                    answer: 200
                ),
            ])
            #expect(try owners(world) == ["blue Emil", "free –", "red –"])
        }
    }

    @Test("rows that a batch inserts can't be linked by a relationship that isn't writable on the other side")
    func manyToMany() throws {
        let rows = #"[{"name": "Gina", "doors": ["{Door front}"]}]"#
        for (rule, status) in [("", 200), (#", "properties": {"keepers": {"write": []}}"#, 403)] {
            try each(Self.rules(Self.always, doors: rule)) { world throws in
                try world.run(AccessStep("clerk", .post, "/api/people/batch-insert", rows, answer: status))
            }
        }
    }
}
