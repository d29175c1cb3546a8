// SPDX-License-Identifier: Apache-2.0

// Findings about a version that was read: each error is reported once.

import ObjectModel
import Testing

@Suite("Findings about a version")
struct FindingsTests {
    private func findings(json: String) throws -> [String] {
        try ModelFile(json: Array(json.utf8)).current.findings().map(brief)
    }

    private func findings(contents: String) throws -> [String] {
        let xml = "<?xml version=\"1.0\"?><model>\(contents)</model>"
        return try ModelVersion(contents: Array(xml.utf8), name: "M").findings().map(brief)
    }

    @Test(
        "an unreadable JSON value is reported once, not again as missing",
        arguments: [
            (#""A": {"attributes": {"x": "Dat"}}"#, "error model.value A.x"),
            (#""A": {"attributes": {"x": {}}}"#, "error model.missing A.x"),
            (#""A": {"attributes": {"x": 1}}"#, "error model.type A.x"),
            (#""A": {"relationships": {"b": {}}}"#, "error model.missing A.b"),
            (#""A": {"relationships": {"b": "B B"}}"#, "error model.value A.b"),
            (#""A": {"fetchedProperties": {"f": {}}}"#, "error model.missing A.f"),
        ]
    )
    func json(entity: String, finding: String) throws {
        #expect(try findings(json: "{\"entities\": {\(entity)}}") == [finding])
    }

    @Test("a template without an entity is reported once")
    func template() throws {
        let model = #"{"entities": {"A": {}}, "fetchRequestTemplates": {"T": {}}}"#
        #expect(try findings(json: model) == ["error model.missing "])
    }

    @Test(
        "an unreadable XML value is reported once, not again as missing",
        arguments: [
            (#"<entity name="A"><attribute name="x" attributeType="Strng"/></entity>"#, "error model.value A.x"),
            (#"<entity/>"#, "error model.missing "),
            (#"<entity name="A"><attribute attributeType="String"/></entity>"#, "error model.missing A"),
        ]
    )
    func xml(contents: String, finding: String) throws {
        #expect(try findings(contents: contents) == [finding])
    }

    @Test("another missing part is still reported next to an unreadable one")
    func others() throws {
        let model = #"{"entities": {"A": {"attributes": {"x": "Dat"}, "relationships": {"b": "B?"}}}}"#
        #expect(try findings(json: model) == ["error model.value A.x", "error relationship.destination A.b"])
        let contents = #"<entity name="A"><attribute name="x"/></entity>"#
        #expect(try findings(contents: contents) == ["error attribute.type A.x"])
    }

    @Test("an unknown destination is reported at its relationship, not at the inverse")
    func destination() throws {
        let model = #"{"entities": {"A": {"relationships": {"b": "C?.a"}}, "B": {"relationships": {"a": "[A].b"}}}}"#
        #expect(try findings(json: model) == ["error relationship.destination A.b"])
    }

    @Test("an issue code has the same name in Swift as in text", arguments: ModelIssue.Code.allCases)
    func codeNames(code: ModelIssue.Code) {
        let parts = code.rawValue.split(separator: ".")
        let name = parts[0] + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        #expect("\(code)" == name)
        #expect(code.mildSeverity <= code.severity)
    }

    @Test("every error of a reader or writer has a finding of the same name", arguments: ModelError.Code.allCases)
    func errors(code: ModelError.Code) {
        #expect(ModelIssue.Code.allCases.contains { $0.rawValue == "model.\(code.rawValue)" })
    }
}
