// SPDX-License-Identifier: Apache-2.0

// Compares the documentation of the JSON format and its schema with the reader.

import FoundationEssentials
import JSON
import Testing

@testable import ObjectModel

@Suite("Documentation of the JSON format")
struct DocumentationTests {
    static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path + "/docs/"

    /// The page, or the error of reading it: test arguments are computed before any test can fail.
    static let page = Result { try String(contentsOfFile: folder + "model-format.md", encoding: .utf8) }

    static let examples: [String] = ((try? page.get()) ?? "").split(separator: "```json\n").dropFirst().map {
        String($0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex))
    }

    @Test("the documentation exists and has examples")
    func isThere() throws {
        #expect(try !Self.page.get().isEmpty)
        #expect(Self.examples.count > 5)
    }

    static func schema() throws -> JSONValue {
        try JSONValue(parsing: String(contentsOfFile: folder + "model.schema.json", encoding: .utf8))
    }

    @Test("every example is a valid model", arguments: examples)
    func exampleIsRead(text: String) throws {
        let file = try ModelFile(json: Array(text.utf8))
        #expect(file.versions.flatMap(\.issues) == [])
        #expect(file.versions.allSatisfy { !$0.model.entities.isEmpty })
        for version in file.versions {
            #expect(try ModelVersion(contents: version.model.contents()).model == version.model)
        }
        #expect(try ModelFile(json: file.json()) == file)
    }

    @Test(
        "every key is documented and appears in an example",
        arguments: ModelKeys.all.flatMap { keys in keys.keys.map { (keys.object, $0) } }
    )
    func keyHasExample(object: String, key: String) throws {
        // Documented without an example: keys for editors, for old models, and for rarely used names.
        let withoutExample = [
            "$schema", "optional", "indexed", "searchIndexed", "preservedAfterDeletion", "compoundIndexes", "composite",
            "name", "descending", "includesSubentities", "includesPropertyValues", "includesPendingChanges",
            "returnsObjectsAsFaults", "returnsDistinctResults",
        ]
        let isShown = Self.examples.contains { $0.contains("\"\(key)\":") }
        #expect(isShown || withoutExample.contains(key), "\(key) of \(object)")
        let text = try Self.page.get()
        #expect(text.contains("`\(key)`") || text.contains("`\"\(key)\"`"), "\(key) of \(object)")
    }

    @Test("the documentation and the schema name every attribute type", arguments: AttributeType.named.map(\.name))
    func typeIsNamed(name: String) throws {
        #expect(try Self.page.get().contains("`\(name)`"))
        let examples = try Self.schema()["$defs"]?["attributeType"]?["examples"]?.array
        #expect(examples?.contains(.string(name)) == true)
    }

    @Test("the schema describes exactly the keys that the reader knows", arguments: ModelKeys.all.map(\.object))
    func schemaHasKeys(object: String) throws {
        let keys = try #require(ModelKeys.all.first { $0.object == object })
        let definition = try #require(try Self.schema()["$defs"]?[object])
        let properties = try #require(definition["properties"]?.object)
        #expect(properties.names.sorted() == keys.keys.sorted())
        #expect(definition["additionalProperties"] == false)
        #expect(properties.members.allSatisfy { $0.value["description"]?.string?.isEmpty == false })
    }

    @Test("the schema lists exactly the choices that the reader knows")
    func schemaHasChoices() throws {
        func choices(_ object: String, _ key: String) throws -> [String?]? {
            try Self.schema()["$defs"]?[object]?["properties"]?[key]?["enum"]?.array?.map(\.string)
        }
        #expect(try choices("relationship", "deleteRule") == DeleteRule.jsonNames.map(\.key))
        #expect(try choices("fetchRequest", "result") == FetchRequestTemplate.ResultType.jsonNames.map(\.key))
        #expect(try choices("indexElement", "kind") == FetchIndex.Element.Kind.jsonNames.map(\.key))
        #expect(DeleteRule.jsonNames.count == DeleteRule.allCases.count)
        #expect(FetchRequestTemplate.ResultType.jsonNames.count == FetchRequestTemplate.ResultType.allCases.count)
        #expect(FetchIndex.Element.Kind.jsonNames.count == FetchIndex.Element.Kind.allCases.count)
    }

    @Test("every reference in the schema has a definition")
    func schemaReferences() throws {
        let schema = try Self.schema()
        let definitions = try #require(schema["$defs"]?.object)
        func references(in value: JSONValue) -> [String] {
            let here = value["$ref"]?.string.map { [$0] } ?? []
            let children = (value.object?.members.map(\.value) ?? []) + (value.array ?? [])
            return here + children.flatMap(references)
        }
        let names = references(in: schema)
        #expect(names.count > 20)
        #expect(names.allSatisfy { $0.hasPrefix("#/$defs/") && definitions[String($0.dropFirst(8))] != nil })
    }
}
