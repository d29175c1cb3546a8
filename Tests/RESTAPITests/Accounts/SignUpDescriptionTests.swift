// SPDX-License-Identifier: Apache-2.0

import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

@Suite("The description of sign-ups")
struct SignUpDescriptionTests {
    private func schema(_ model: Model) throws -> JSONValue {
        let access = """
            {
              "identity": {"accounts": {"entity": "Person", "name": "email", "password": "passwordHash"}, "anonymous": "public"},
              "roles": {"public": {}, "admin": {"administers": true}},
              "rules": {"Person": {"create": {"public": true}, "read": {"public": true}}}
            }
            """
        var found: JSONValue?
        let fillNothing: (PersistentStoreCoordinator) -> Void = { _ in }
        try APIWorld.each(model, access: access, accounts: TestAccounts(), filling: fillNothing) { world throws in
            let document = try world.get("/openapi.json")
            let body = document["paths"]?["/api/auth/sign-up"]?["post"]?["requestBody"]
            found = body?["content"]?["application/json"]?["schema"]
        }
        return try #require(found)
    }

    @Test("the name has either spelling")
    func names() throws {
        let schema = try schema(
            Model {
                Entity("Person") {
                    Attribute("email", .string)
                    Attribute("passwordHash", .string).optional()
                    UniquenessConstraint("email")
                }
            }
        )
        #expect(schema["properties"]?.object?.names == ["_entity", "password", "name", "email"], "\(schema)")
        #expect(schema["oneOf"] == [["required": ["name"]], ["required": ["email"]]])
        #expect(schema["required"] == ["password"] && schema["additionalProperties"] == false)
    }

    @Test("an account may be of a subentity, which an abstract entity requires")
    func subentities() throws {
        let schema = try schema(
            Model {
                Entity("Person", isAbstract: true) {
                    Attribute("name", .string)
                    Attribute("email", .string)
                    Attribute("passwordHash", .string).optional()
                    UniquenessConstraint("email")
                }
                Entity("Member", parent: "Person") { Attribute("level", .int64).default(0) }
            }
        )
        #expect(schema["required"] == ["email", "password", "_entity", "name"], "\(schema)")
        #expect(schema["additionalProperties"] == nil && schema["properties"]?["_entity"] == ["type": "string"])
    }
}
