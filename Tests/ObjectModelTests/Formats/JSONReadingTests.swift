// SPDX-License-Identifier: Apache-2.0

// Reading a model's JSON, and the issues of JSON that isn't understood.

import FoundationEssentials
import ObjectModel
import Predicates
import Testing

@Suite("Reading a model's JSON")
struct JSONReadingTests {
    @Test(
        "an attribute's type is required, or optional with a question mark",
        arguments: AttributeType.named.map(\.name)
    )
    func shortForm(name: String) throws {
        let type = try #require(AttributeType.named.first { $0.name == name }?.type)
        #expect(try read(jsonAttribute: "\"\(name)\"") == (Attribute(name: "a", type: type), []))
        #expect(try read(jsonAttribute: "\"\(name)?\"") == (Attribute(name: "a", type: type, isOptional: true), []))
        #expect(
            try read(jsonAttribute: #"{"type": "\#(name)?"}"#) == (
                Attribute(name: "a", type: type, isOptional: true), []
            )
        )
    }

    @Test(
        "a JSON value is read in the attribute's type",
        arguments: [
            ("Int16", "-5", Value.integer(-5)), ("Int64", "9223372036854775807", .integer(.max)),
            ("Int32", "1e3", 1000),
            ("Double", "1", 1.0), ("Bool", "true", true), ("String", "\"\"", ""), ("URI", "\"a:b\"", .uri("a:b")),
            ("Binary", "\"AAE=\"", .data(Data([0, 1]))),
            (
                "Decimal", "12345678901234567890.12",
                Decimal(string: "12345678901234567890.12").map(Value.decimal) ?? .null
            ),
            ("Decimal", "\"0.10\"", Decimal(string: "0.1").map(Value.decimal) ?? .null),
            ("Date", "\"2001-01-02\"", .date(Date(timeIntervalSinceReferenceDate: 86400))),
            ("Date", "0.25", .date(Date(timeIntervalSinceReferenceDate: 0.25))),
        ]
    )
    func values(type: String, json: String, value: Value) throws {
        let (attribute, issues) = try read(
            jsonAttribute: #"{"type": "\#(type)", "default": \#(json), "min": \#(json), "max": null}"#
        )
        #expect(attribute.defaultValue == value)
        #expect(attribute.minimumValue == value)
        #expect(attribute.maximumValue == nil)
        #expect(issues == [])
    }

    @Test(
        "a relationship has a short form for each cardinality",
        arguments: [
            ("User", Relationship(name: "r", destinationName: "User")),
            ("User?", Relationship(name: "r", destinationName: "User", isOptional: true)),
            ("User?.posts", Relationship(name: "r", destinationName: "User", inverseName: "posts", isOptional: true)),
            ("[User]", Relationship(name: "r", destinationName: "User", isToMany: true, isOptional: true)),
            (
                "[User].posts",
                Relationship(
                    name: "r",
                    destinationName: "User",
                    inverseName: "posts",
                    isToMany: true,
                    isOptional: true
                )
            ),
        ]
    )
    func relationshipShortForm(text: String, relationship: Relationship) throws {
        #expect(try read(jsonRelationship: "\"\(text)\"") == (relationship, []))
    }

    @Test("a relationship's long form sets all its other properties")
    func relationshipLongForm() throws {
        let json =
            #"{"toMany": "Tag", "inverse": "posts", "ordered": true, "optional": false, "min": 1, "max": 9, "deleteRule": "noAction"}"#
        let expected = Relationship(
            name: "r",
            destinationName: "Tag",
            inverseName: "posts",
            isToMany: true,
            isOrdered: true,
            minimumCount: 1,
            maximumCount: 9,
            deleteRule: .noAction
        )
        #expect(try read(jsonRelationship: json) == (expected, []))
        #expect(try read(jsonRelationship: #"{"toMany": "Tag"}"#).relationship.isOptional)
        #expect(try read(jsonRelationship: #"{"to": "Tag?"}"#).relationship.isOptional)
        #expect(try !read(jsonRelationship: #"{"to": "Tag"}"#).relationship.isOptional)
    }

    @Test(
        "an error in an attribute is reported with its place",
        arguments: [
            (#""Strng""#, "“Strng” is neither a type nor a composite of the model.", "Did you mean “String”?"),
            (
                #""Integer 64?""#, "“Integer 64” is neither a type nor a composite of the model.",
                "Did you mean “Int64”?"
            ),
            (#""int""#, "“int” is neither a type nor a composite of the model.", "Did you mean “Int64”?"),
            (
                #""E""#, "“E” is neither a type nor a composite of the model.",
                "E is an entity: write this under “relationships”."
            ),
            (
                #""[E].others""#, "“[E].others” is neither a type nor a composite of the model.",
                "E is an entity: write this under “relationships”."
            ),
            (
                #"{"type": "String", "required": true}"#, "“required” isn't a key of the attribute.",
                "A type with a question mark, \"String?\", is optional; any other is required."
            ),
            (
                #"{"type": "String", "unique": true}"#, "“unique” isn't a key of the attribute.",
                "Write it in the entity: \"unique\": [\"name\"]."
            ),
            (
                #"{"type": "String", "enum": ["a"]}"#, "“enum” isn't a key of the attribute.",
                "A pattern permits some texts only: \"pattern\": \"draft|final\"."
            ),
            (#"7"#, "The attribute must be a string or an object, not a number.", nil),
            (
                #"{"type": "String", "optionl": true}"#, "“optionl” isn't a key of the attribute.",
                "Did you mean “optional”?"
            ),
            (
                #"{"type": "Int16", "default": 40000}"#,
                "default of type Int16 must be an integer in the range of Int16, not 40000.", nil
            ),
            (#"{"type": "String", "default": 4}"#, "default of type String must be a string, not 4.", nil),
            (
                #"{"type": "Date", "default": "2023-02-29"}"#,
                "default of type Date must be a date such as \"2024-05-31T12:00:00Z\", or the seconds since 2001-01-01, not \"2023-02-29\".",
                nil
            ),
            (
                #"{"type": "Transformable", "default": 1}"#, "An attribute of type Transformable can't have a default.",
                nil
            ),
            (
                #"{"type": "String", "transformer": "T"}"#,
                "Only an attribute of type Transformable can have a transformer.", nil
            ),
            (#"{"type": "String", "minLength": -1}"#, "minLength must be a non-negative integer, not -1.", nil),
            (#"{"type": "String", "transient": "yes"}"#, "transient must be true or false, not a string.", nil),
            (
                #"{"type": "String?", "optional": false}"#,
                "The question mark makes the attribute optional, but “optional” is false.", nil
            ),
            (#"{"type": "String", "composite": "C"}"#, "An attribute can't have both a type and a composite.", nil),
            (#"{"default": 1}"#, "An attribute needs a type.", "Write \"type\": \"String\", for example."),
            (#"{"type": "String", "userInfo": {"k": 1}}"#, "“k” in userInfo must be a string, not a number.", nil),
            (
                #"{"type": "String", "xcodeElements": ["<a>"]}"#,
                "The XML can't be read: 1:4: Expected </a> to close <a>, opened at 1:1, found the end of the text.", nil
            ),
        ]
    )
    func wrongAttribute(json: String, message: String, hint: String?) throws {
        let (_, issues) = try read(jsonAttribute: json)
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint == hint)
        #expect(issues.first?.severity == .error)
        #expect(issues.first?.place.line == 1)
        #expect(issues.first?.place.entity == "E")
        #expect(issues.first?.place.property == "a")
    }

    @Test(
        "an error in a relationship is reported",
        arguments: [
            (#""User posts""#, "“User posts” isn't a relationship."), (#""[User""#, "“[User” isn't a relationship."),
            (#""[User]?""#, "“[User]?” isn't a relationship."), (#"{}"#, "A relationship needs a destination."),
            (#"{"to": "A", "toMany": "B"}"#, "A relationship can't have both “to” and “toMany”."),
            (#"{"to": "A", "max": 3}"#, "Only a to-many relationship can have a max."),
            (#"{"to": "A", "deleteRule": "Cascade"}"#, "“Cascade” isn't a valid deleteRule."),
        ]
    )
    func wrongRelationship(json: String, message: String) throws {
        #expect(try read(jsonRelationship: json).issues.map(\.message) == [message])
    }

    @Test("an issue has the line and column of the wrong key or value")
    func places() throws {
        let version = try read(
            json: """
                {
                  "entities": {
                    "Post": {
                      "attributes": {"title": "String", "views": {"type": "Int64", "defualt": 0}},
                      "parnt": "Thing",
                      "unique": ["title", 3]
                    }
                  }
                }
                """
        )
        #expect(version.issues.map { [$0.place.line, $0.place.column] } == [[5, 7], [4, 68], [6, 27]])
        #expect(version.issues.map(\.place.property) == [nil, "views", nil])
        #expect(version.issues.map(\.place.entity) == ["Post", "Post", "Post"])
    }

    @Test(
        "JSON that isn't a model is refused",
        arguments: [
            ("", ModelError.Code.syntax), ("[]", .notAModel), ("{}", .notAModel), (#"{"a": 1}"#, .notAModel),
            (#"{"entities": {}, "entities": {}}"#, .syntax), (#"{"versions": {}}"#, .noVersion),
            (#"{"versions": {"A": {}}, "current": "B"}"#, .noVersion),
        ]
    )
    func refused(text: String, code: ModelError.Code) throws {
        let error = #expect(throws: ModelError.self) { try ModelFile(json: Array(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test("versions are in natural order, and the last is current unless another is named")
    func versions() throws {
        let json = #"{"versions": {"M 10": {}, "M": {"entities": {"E": {}}}, "M 2": {}}, "current": "M"}"#
        let file = try ModelFile(json: Array(json.utf8))
        #expect(file.versions.map(\.name) == ["M", "M 2", "M 10"])
        #expect(file.current.model.entities.map(\.name) == ["E"])
        #expect(file.versions.flatMap(\.issues) == [])
        let unsaid = try ModelFile(json: Array(#"{"versions": {"M 10": {}, "M 9": {}}}"#.utf8))
        #expect(unsaid.current.name == "M 10")
        #expect(unsaid.current.issues.map(\.severity) == [.warning])
    }

    @Test(
        "a decimal number with too many digits is an error with a hint",
        arguments: ["default", "min", "max"],
        ["9876543210123456789012345678901234567891", "0.9876543210123456789012345678901234567891"]
    )
    func longDecimal(key: String, digits: String) throws {
        for text in [digits, "\"\(digits)\""] {
            let (attribute, issues) = try read(jsonAttribute: "{\"type\": \"Decimal\", \"\(key)\": \(text)}")
            #expect(issues.map(\.code) == [.modelValue] && issues.first?.severity == .error)
            #expect(issues.first?.hint == "It can have at most 38 digits.")
            #expect([attribute.defaultValue, attribute.minimumValue, attribute.maximumValue] == [nil, nil, nil])
        }
        let longest = "-0.00" + String(repeating: "9", count: 38)
        #expect(try read(jsonAttribute: "{\"type\": \"Decimal\", \"\(key)\": \"\(longest)\"}").issues == [])
    }

    @Test("min or max of a string is an error with a hint at minLength and maxLength", arguments: ["min", "max"])
    func boundsOfStrings(key: String) throws {
        let issues = try read(jsonAttribute: "{\"type\": \"String\", \"\(key)\": 1}").issues
        #expect(issues.map(\.code) == [.modelValue])
        #expect(issues.first?.hint?.hasSuffix(" with \(key)Length.") == true)
        let model = try read(
            json: "{\"entities\": {\"E\": {\"attributes\": {\"a\": {\"type\": \"String\", \"\(key)\": \"b\"}}}}}"
        ).model
        #expect(model.issues().first?.hint?.contains("minLength and maxLength") == true)
    }
}
