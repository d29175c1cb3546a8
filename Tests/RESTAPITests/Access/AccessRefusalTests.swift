// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Refusals under access rules")
struct AccessRefusalTests {
    private static func rules(person: String, pass: String = #""update": {"clerk": true}"#) -> String {
        """
        {
          "roles": {"clerk": {}, "admin": {"administers": true}},
          "rules": {
            "Person": {
              "read": {"clerk": "name != 'Finn'"}, "update": {"clerk": "name == 'Dora'"}, "delete": {"clerk": true},
              "properties": {\(person)}
            },
            "Pass": {"read": {"clerk": true}, \(pass)}
          }
        }
        """
    }

    private func each(_ rules: String, _ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(Staff.model, access: rules, filling: Staff.fill, body)
    }

    @Test("a deletion's refusal says which relationship would change of an object that can be read")
    func deletions() throws {
        try each(Self.rules(person: "")) { world throws in
            let answer = try world.run(
                AccessStep(
                    "clerk",
                    .delete,
                    "/api/{Person Dora}",
                    answer: 403,
                    showing: [
                        "{Person Emil}", "Its “manager” would change", "A deletion needs “delete”",
                        "Another object of “reports” can't be changed.",
                    ],
                    hiding: ["{Person Finn}"]
                )
            )
            #expect(answer["errors"]?.array?.count == 2, "\(answer.text)")
        }
    }

    @Test(
        "a relationship that can't be read isn't named",
        arguments: [
            (#""reports": {"read": []}"#, ["Its “manager” would", "Another object can't be"], ["reports"]),
            (#""manager": {"read": []}"#, ["can't be changed like", "Another object of “reports”"], ["manager"]),
            (
                #""manager": {"read": []}, "reports": {"read": []}"#,
                ["can't be changed like", "Another object can't be"], ["manager", "reports"]
            ),
        ]
    )
    func hiddenRelationships(_ person: String, _ shown: [String], _ hidden: [String]) throws {
        try each(Self.rules(person: person)) { world throws in
            try world.run(
                AccessStep(
                    "clerk",
                    .delete,
                    "/api/{Person Dora}",
                    answer: 403,
                    showing: shown + ["{Person Emil}"],
                    hiding: hidden + ["{Person Finn}"]
                )
            )
        }
    }

    @Test("the refusal of a relationship's change names the other objects, and what of them would change")
    func relationships() throws {
        try each(Self.rules(person: "", pass: #""update": {"clerk": "name == 'red'"}"#)) { world throws in
            try world.run([
                AccessStep(
                    "clerk",
                    .patch,
                    "/api/{Person Dora}",
                    #"{"pass": "{Pass blue}"}"#,
                    answer: 403,
                    showing: [
                        "{Pass blue}", "Its “owner” would change", "{Person Emil}", "Its “pass” would change",
                        "A change of a relationship needs “update”",
                    ],
                    hiding: ["{Pass red}\""]
                ),
                AccessStep(
                    "clerk",
                    .patch,
                    "/api/{Person Dora}",
                    #"{"reports": []}"#,
                    answer: 403,
                    showing: ["{Person Emil}", "Its “manager” would change"],
                    hiding: ["A deletion needs"]
                ),
                // What the request names itself is refused in other words.
                AccessStep(
                    "clerk",
                    .patch,
                    "/api/{Person Emil}",
                    #"{"level": 3}"#,
                    answer: 403,
                    showing: ["It can't be changed like this."],
                    hiding: ["hint"]
                ),
            ])
        }
    }

    @Test("the number of hidden objects isn't told")
    func numbers() throws {
        let hiding = Self.rules(person: "").replacing("name != 'Finn'", with: "name == 'Dora'")
        try each(hiding) { world throws in
            let step = AccessStep(
                "clerk",
                .delete,
                "/api/{Person Dora}",
                answer: 403,
                showing: [#""property":"reports""#, "{Person Dora}: Another object of “reports” can't be changed."]
            )
            let two = try world.run(step)
            try world.run(AccessStep("admin", .delete, "/api/{Person Finn}", answer: 204))
            #expect(try world.run(step).text == two.text)
        }
    }

    @Test("the refusal of a cascade says along with what an object would be deleted")
    func cascades() throws {
        let blog = AccessWritingTests.blog.replacing(
            #""delete": {"member": "author == $USER AND published == NO""#,
            with: #""delete": {"publisher": true"#
        )
        .replacing(#""reader": "post.published == YES""#, with: #""reader": "post.title == 'Faults'""#)
        try APIWorld.each(access: blog) { world throws in
            try world.run(
                AccessStep(
                    "publisher",
                    .delete,
                    "/api/{Post Faults}",
                    answer: 403,
                    showing: [
                        "{Comment Well said.}", "It would be deleted along with {Post Faults}, by “comments”",
                        "A deletion needs “delete”",
                    ]
                )
            )
        }
    }
}
