// SPDX-License-Identifier: Apache-2.0

// docs/access.schema.json, compared with what the reader knows.

import FoundationEssentials
import Identities
import JSON
import TestSupport
import Testing

@testable import AccessRules

@Suite("docs/access.schema.json")
struct AccessSchemaTests {
    private let schema: JSONValue

    init() throws { schema = try JSONValue(parsing: Checkout.text(of: "docs/access.schema.json")) }

    @Test("the schema describes exactly the members that the reader knows", arguments: AccessKeys.all.map(\.object))
    func members(object: String) throws {
        let known = try #require(AccessKeys.all.first { $0.object == object })
        let definition = try #require(schema["$defs"]?[object])
        let properties = try #require(definition["properties"]?.object)
        #expect(properties.names.sorted() == known.keys.sorted())
        #expect(definition["additionalProperties"] == false)
        #expect(properties.members.allSatisfy { $0.value["description"]?.string?.isEmpty == false })
    }

    @Test("the schema lists exactly the algorithms that the reader knows")
    func algorithms() {
        let names = schema["$defs"]?["jwt"]?["properties"]?["algorithms"]?["items"]?["enum"]?.array?.map(\.string)
        #expect(names == AccessFileReader.algorithms)
    }

    @Test("every reference in the schema has a definition")
    func references() throws {
        let definitions = try #require(schema["$defs"]?.object)
        func references(in value: JSONValue) -> [String] {
            let here = value["$ref"]?.string.map { [$0] } ?? []
            return here + ((value.object?.members.map(\.value) ?? []) + (value.array ?? [])).flatMap(references)
        }
        let names = references(in: schema)
        #expect(names.count > 15)
        #expect(names.allSatisfy { $0.hasPrefix("#/$defs/") && definitions[String($0.dropFirst(8))] != nil })
    }
}
