// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@testable import RESTAPI

@Suite("Many-to-many relationships under access rules")
struct AccessManyToManyTests {
    private static func rules(person: String = "", door: String = "") -> String {
        """
        {
          "roles": {"clerk": {}, "other": {}, "admin": {"administers": true}},
          "rules": {
            "Person": {
              "read": {"clerk": true, "other": true}, "update": {"clerk": "name != 'Emil'"},
              "properties": {\(person)}
            },
            "Door": {
              "read": {"clerk": true}, "create": {"clerk": true}, "update": {"clerk": "name == 'front'"},
              "delete": {"clerk": true}, "properties": {\(door)}
            }
          }
        }
        """
    }

    private func each(_ rules: String, _ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(Staff.model, access: rules, filling: Staff.fill, body)
    }

    private func keepers(_ door: String, _ world: APIWorld) throws -> [String] {
        try world.list(as: "admin", "/api/\(world.reference("Door", door))/keepers?sort=name", "name")
    }

    @Test("only the object on which the relationship is named must be changeable")
    func sides() throws {
        try each(Self.rules()) { world throws in
            try world.run([
                AccessStep("clerk", .post, "/api/{Person Dora}/doors", #"["{Door back}"]"#, answer: 200),
                AccessStep("clerk", .post, "/api/{Person Emil}/doors", #"["{Door front}"]"#, answer: 403),
                AccessStep("clerk", .post, "/api/{Door front}/keepers", #"["{Person Emil}"]"#, answer: 200),
                AccessStep("clerk", .post, "/api/{Door back}/keepers", #"["{Person Finn}"]"#, answer: 403),
                AccessStep("clerk", .patch, "/api/{Person Dora}", #"{"doors": ["{Door front}"]}"#, answer: 200),
            ])
            #expect(try keepers("front", world) == ["Dora", "Emil"])
            #expect(try keepers("back", world) == [])
        }
    }

    @Test(
        "a property that can't be written is changed from neither side",
        arguments: [
            (rules(door: #""keepers": {"write": []}"#), "“keepers” can't be written"),
            (rules(person: #""doors": {"write": []}"#), "“doors” can't be written"),
            (rules(door: #""keepers": {"read": ["other"]}"#), "can't be written"),
        ]
    )
    func properties(_ rules: String, _ message: String) throws {
        try each(rules) { world throws in
            for body in [
                #"{"doors": ["{Door back}"]}"#, #"{"doors": []}"#, #"{"doors": {"add": ["{Door back}"]}}"#,
                #"{"doors": {"remove": ["{Door front}"]}}"#, #"{"doors": {"add": [{"name": "new"}]}}"#,
            ] {
                try world.run(
                    AccessStep("clerk", .patch, "/api/{Person Dora}", body, answer: 403, showing: [message])
                )
            }
            let named = try world.send(
                as: "clerk",
                .post,
                world.filled("/api/{Door front}/keepers"),
                world.filled(#"["{Person Finn}"]"#)
            )
            #expect([403, 404].contains(named.status), "\(named.text)")
            #expect(try keepers("front", world) == ["Dora"])
            #expect(try keepers("back", world) == [])
            // What isn't linked differently doesn't matter.
            try world.run(AccessStep("clerk", .patch, "/api/{Person Dora}", #"{"level": 7}"#, answer: 200))
        }
    }

    @Test("a property that can't be written loses members that are deleted")
    func deletions() throws {
        try each(Self.rules(person: #""doors": {"write": []}"#)) { world throws in
            let operations =
                #"[{"delete": "{Door front}"}, {"update": "{Person Dora}", "values": {"level": 8}}]"#
            try world.run([
                AccessStep("clerk", .post, "/api/transaction", #"{"operations": \#(operations)}"#, answer: 200),
                AccessStep("clerk", .delete, "/api/{Door back}", answer: 204),
            ])
        }
    }
}
