// SPDX-License-Identifier: Apache-2.0

// Writing a model's JSON, in short forms where they suffice.

import ObjectModel
import Predicates
import Testing

@Suite("Writing a model's JSON")
struct JSONWritingTests {
    @Test("a model with every feature is unchanged after writing and reading")
    func everythingComesBack() throws {
        let model = try ModelVersion(contents: Array(everything.utf8)).model
        let version = try read(json: model.jsonText())
        #expect(version.issues == [])
        #expect(version.model == model)
        #expect(try version.model.contentsText() == everything)
    }

    @Test("short forms are written wherever they suffice")
    func shortForms() throws {
        let model = Model(
            entities: [
                Entity(
                    name: "Post",
                    attributes: [
                        Attribute(name: "title", type: .string),
                        Attribute(name: "text", type: .string, isOptional: true),
                        Attribute(name: "place", type: .composite("Location"), isOptional: true),
                        Attribute(name: "lost", type: .composite("Missing")),
                    ],
                    relationships: [
                        Relationship(name: "author", destinationName: "User", inverseName: "posts", isOptional: true),
                        Relationship(name: "tags", destinationName: "Tag", isToMany: true, isOptional: true),
                        Relationship(name: "odd", destinationName: "A.B"),
                    ],
                    fetchIndexes: [
                        FetchIndex(name: "i", elements: [.init(.property("title"), isAscending: false)])
                    ],
                    uniquenessConstraints: [["title"], ["text", "place"]]
                )
            ],
            composites: [Composite(name: "Location", attributes: [Attribute(name: "x", type: .double)])],
            configurations: [Configuration(name: "C", entityNames: ["Post"])]
        )
        #expect(
            try model.jsonText() == """
                {
                  "entities": {
                    "Post": {
                      "attributes": {
                        "title": "String",
                        "text": "String?",
                        "place": "Location?",
                        "lost": {"composite": "Missing"}
                      },
                      "relationships": {
                        "author": "User?.posts",
                        "tags": "[Tag]",
                        "odd": {"to": "A.B"}
                      },
                      "unique": [
                        "title",
                        ["text", "place"]
                      ],
                      "indexes": {
                        "i": ["-title"]
                      }
                    }
                  },
                  "composites": {
                    "Location": {
                      "attributes": {
                        "x": "Double"
                      }
                    }
                  },
                  "configurations": {
                    "C": ["Post"]
                  }
                }

                """
        )
        #expect(try read(json: model.jsonText()).model == model)
    }

    @Test("a single version needs no name if it has the file's name")
    func versionName() throws {
        let file = ModelFile(versions: [ModelVersion(name: "Blog", model: Model())])
        #expect(String(decoding: try file.json(name: "Blog"), as: UTF8.self) == "{\n  \"entities\": {}\n}\n")
        #expect(try ModelFile(json: file.json(name: "Other"), name: "Other") == file)
    }

    @Test("writing a model that JSON can't express fails")
    func unwritable() throws {
        let twice = Model(entities: [Entity(name: "E"), Entity(name: "E")])
        #expect(throws: ModelError.self) { try twice.json() }
        let attribute = Attribute(name: "a", type: .double, defaultValue: .double(.nan))
        let error = #expect(throws: ModelError.self) {
            try Model(entities: [Entity(name: "E", attributes: [attribute])]).json()
        }
        #expect(error?.code == .unwritable)
        #expect(error?.place == ModelIssue.Place(entity: "E", property: "a"))
    }
}
