// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@testable import RESTAPI

@Suite("Accounts of tokens")
struct AccessAccountTests {
    @Test(
        "an account is found again when objects have changed that its condition reads",
        arguments: [
            "email == $CLAIMS.email AND ANY groups.name == 'Writers'",
            "email == $CLAIMS.email AND SUBQUERY(groups, $g, $g.name == 'Writers').@count > 0",
        ]
    )
    func conditions(_ condition: String) throws {
        let rules = """
            {
              "identity": {
                "accounts": {"entity": "User", "name": "email", "password": "note"},
                "jwt": {"algorithms": ["RS256"], "keys": "keys.json", "user": "\(condition)"}
              },
              "roles": {"member": {}, "admin": {"administers": true}},
              "rules": {"Post": {"read": {"member": "author == $USER"}}}
            }
            """
        try APIWorld.each(access: rules) { world throws in
            func posts() throws -> Int { try world.list(as: "member anna@example.org", "/api/posts").count }
            #expect(try posts() == 4)
            try world.run(AccessStep("admin", .patch, "/api/{Group Writers}", #"{"name": "Readers"}"#, answer: 200))
            #expect(try posts() == 0)
            try world.run(AccessStep("admin", .patch, "/api/{Group Readers}", #"{"name": "Writers"}"#, answer: 200))
            #expect(try posts() == 4)
        }
    }
}
