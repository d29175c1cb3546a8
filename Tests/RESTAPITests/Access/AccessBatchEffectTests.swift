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

    @Test(
        "a check over what the batch changes of other objects is refused",
        arguments: [
            ("manager.level < 9", #"{"level": 9}"#, 403),
            ("manager.manager.level < 9", #"{"level": 9}"#, 403),
            ("TERNARY(level > 1, manager, manager).level < 9", #"{"level": 9}"#, 403),
            ("manager.foldedName != 'x'", #"{"name": "x"}"#, 403),
            ("manager.reportCount < 3", #"{"manager": null}"#, 403),
            ("manager.level < 9", #"{"manager": "{Person Dora}", "level": 9}"#, 403),
            ("manager.pass.owner.level < 9", #"{"level": 9}"#, 403),
            ("address.city != 'Rome'", #"{"address": {"city": "Rome"}}"#, 403),
            ("manager.level < 9 OR manager == nil", #"{"name": "x"}"#, 200),
            ("manager.foldedName != 'x'", #"{"level": 9}"#, 200),
            ("manager.reportCount != 3", #"{"level": 9}"#, 200),
            ("manager.level < 9", #"{"manager": "{Person Dora}"}"#, 200),
            ("pass.owner.name != 'x'", #"{"level": 9}"#, 200),
        ]
    )
    func checks(_ check: String, _ set: String, _ status: Int) throws {
        let rule = #""update": {"clerk": {"where": true, "check": "\#(check)"}}"#
        try each(Self.rules(rule)) { world throws in
            let answer = try world.run(
                AccessStep(
                    "clerk",
                    .post,
                    "/api/people/batch-update",
                    #"{"all": true, "set": \#(set)}"#,
                    answer: status
                )
            )
            guard status == 403 else { return }
            #expect(answer.text.contains("can't be checked for a batch"), "\(answer.text)")
        }
    }

    @Test(
        "a creation whose condition is over what the batch changes of other objects is refused",
        arguments: [
            ("manager == nil OR manager.reports.@count < 3", 403), ("manager == nil OR manager.reportCount < 3", 403),
            ("manager == nil OR manager.level < 9", 200),
        ]
    )
    func creations(_ condition: String, _ status: Int) throws {
        let rules = Self.rules(Self.always).replacing(
            #""Person": {"read": {"clerk": true}, "create": {"clerk": true}"#,
            with: #""Person": {"read": {"clerk": true}, "create": {"clerk": "\#(condition)"}"#
        )
        try each(rules) { world throws in
            let rows = #"[{"name": "G", "manager": "{Person Dora}"}, {"name": "H", "manager": "{Person Dora}"}]"#
            try world.run(AccessStep("clerk", .post, "/api/people/batch-insert", rows, answer: status))
        }
    }
}
