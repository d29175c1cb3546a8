// SPDX-License-Identifier: Apache-2.0

// Reading a model's XML, and the issues of XML that isn't understood.

import FoundationEssentials
import ObjectModel
import Predicates
import Testing
import XML

@Suite("Reading a model's XML")
struct ContentsReadingTests {
    @Test("a model with every feature is read completely")
    func everythingIsUnderstood() throws {
        let version = try ModelVersion(contents: Array(everything.utf8), name: "Blog")
        let model = version.model
        #expect(version.name == "Blog")
        #expect(version.issues == [])
        #expect(model.versionIdentifiers == ["1.2"])
        #expect(model.entities.map(\.name) == ["Thing", "Post", "User"])
        let thing = try #require(model.entity(named: "Thing"))
        #expect(thing.isAbstract)
        #expect(thing.className == ".Thing")
        #expect(thing.userInfo == ["a": "1", "b": "<two>"])
        #expect(thing.extras.attributes == [XMLAttribute(name: "codeGenerationType", value: "class")])
        let post = try #require(model.entity(named: "Post"))
        #expect(post.parentName == "Thing")
        #expect(post.renamingIdentifier == "Article")
        #expect(post.versionHashModifier == "v2")
        #expect(post.uniquenessConstraints == [["id"], ["title", "created"]])
        #expect(post.compoundIndexes == [["title", "rank"]])
        #expect(
            post.attributes.map(\.type.name).joined(separator: " ")
                == "Int64 Date Bool Binary String Undefined Location Decimal Int16 Transformable String Double"
        )
        let fields = Dictionary(uniqueKeysWithValues: post.attributes.map { ($0.name, $0) })
        #expect(fields["count"]?.derivation == "tags.@count")
        #expect(fields["created"]?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 631_123_200)))
        #expect(fields["created"]?.maximumValue == .date(Date(timeIntervalSinceReferenceDate: 1_000_000_000.5)))
        #expect(fields["draft"]?.defaultValue == true)
        #expect(fields["image"]?.allowsExternalStorage == true)
        #expect(fields["kept"]?.isPreservedAfterDeletion == true)
        #expect(fields["kept"]?.renamingIdentifier == "old")
        #expect(fields["note"]?.isTransient == true)
        #expect(fields["note"]?.userInfo == ["why": ""])
        #expect(fields["price"]?.defaultValue == Decimal(string: "12345678901234567890.12").map(Value.decimal))
        #expect(fields["rank"]?.minimumValue == -5)
        #expect(fields["rank"]?.isIndexed == true)
        #expect(fields["tint"]?.type == .transformable(transformer: "Tints"))
        #expect(fields["title"]?.defaultValue == "")
        #expect(fields["title"]?.minimumLength == 1)
        #expect(fields["title"]?.maximumLength == 80)
        #expect(fields["title"]?.minimumValue == nil)
        #expect(fields["title"]?.regularExpression == "[^\"]+")
        #expect(fields["title"]?.isSearchIndexed == true)
        #expect(post.fetchIndexes[0].elements.map(\.isAscending) == [false, true])
        #expect(post.fetchIndexes[0].partialPredicate == "draft == NO")
        #expect(post.fetchIndexes[1].elements.map(\.kind) == [.rTree, .binary])
        #expect(post.fetchIndexes[1].elements[1].subject == .expression("lowercase:(title)", type: .string))
        #expect(post.fetchedProperties[0].fetchRequest.predicate == "SELF != $FETCH_SOURCE")
        #expect(model.fetchRequestTemplates[0].resultType == .dictionaries)
        #expect(model.fetchRequestTemplates[0].includesPropertyValues == false)
        #expect(model.configurations[0].entityNames == ["Post", "User"])
        #expect(model.composites[0].attributes[0].defaultValue == 0.0)
        #expect(model.extras.elements.map(\.name) == ["elements"])
    }

    @Test("a relationship is read with its cardinality, delete rule and inverse")
    func relationships() throws {
        let model = try ModelVersion(contents: Array(everything.utf8)).model
        let relationships = try #require(model.entity(named: "Post")).relationships
        #expect(
            relationships[0]
                == Relationship(
                    name: "author",
                    destinationName: "User",
                    inverseName: "posts",
                    isOptional: true
                )
        )
        #expect(relationships[1] == Relationship(name: "next", destinationName: "Post", deleteRule: .noAction))
        var tags = Relationship(
            name: "tags",
            destinationName: "Thing",
            isToMany: true,
            isOrdered: true,
            isOptional: true,
            minimumCount: 1,
            maximumCount: 20,
            deleteRule: .cascade,
            userInfo: ["k": "v"],
            renamingIdentifier: "labels",
            versionHashModifier: "t"
        )
        tags.extras.attributes = [XMLAttribute(name: "syncable", value: "YES")]
        #expect(relationships[2] == tags)
    }

    @Test(
        "a default value is read in the attribute's type",
        arguments: [
            ("Integer 16", "-32768", Value.integer(-32768)), ("Integer 64", "9223372036854775807", .integer(.max)),
            ("Integer 32", "0.0", 0), ("Float", "1", 1.0), ("Double", "1e-3", 0.001), ("Boolean", "1", true),
            ("Boolean", "false", false), ("Boolean", "0.0", false), ("String", "", ""), ("URI", "a:b", .uri("a:b")),
            ("Binary", "AAE=", .data(Data([0, 1]))),
        ]
    )
    func defaults(type: String, text: String, value: Value) throws {
        let (attribute, issues) = try read(attribute: "attributeType='\(type)' defaultValueString='\(text)'")
        #expect(attribute.defaultValue == value)
        #expect(issues == [])
    }

    @Test(
        "an unreadable value is an error with its line, and its text is kept",
        arguments: [
            ("attributeType='Double' maxValueString='0x10'", "maxValueString"),
            ("attributeType='Decimal' minValueString='12abc'", "minValueString"),
            ("attributeType='String' minValueString='few'", "minValueString"),
            ("attributeType='Number'", "attributeType"),
            ("attributeType='String' optional='maybe'", "optional"),
            ("attributeType='Double' derived='YES'", "derived"),
        ]
    )
    func unreadable(xml: String, name: String) throws {
        let (attribute, issues) = try read(attribute: xml)
        #expect(issues.map(\.severity) == [.error])
        #expect(issues.first?.place == ModelIssue.Place(line: 1, column: 40, entity: "E", property: "a"))
        #expect(attribute.extras[attribute: name] != nil)
        let model = Model(entities: [Entity(name: "E", attributes: [attribute])])
        #expect(try ModelVersion(contents: model.contents()).model == model)
    }

    @Test(
        "an unreadable default is a warning with its line, and its text is kept",
        arguments: [
            ("attributeType='Integer 16' defaultValueString='abc'", "defaultValueString"),
            ("attributeType='Integer 16' defaultValueString='32768'", "defaultValueString"),
            ("attributeType='Integer 16' defaultValueString='1.5'", "defaultValueString"),
            ("attributeType='Double' defaultValueString='inf'", "defaultValueString"),
            ("attributeType='UUID' optional='YES' defaultValueString='empy'", "defaultValueString"),
            ("attributeType='Date' defaultDateTimeInterval='today'", "defaultDateTimeInterval"),
        ]
    )
    func unreadableDefault(xml: String, name: String) throws {
        let (attribute, issues) = try read(attribute: xml)
        #expect(issues.map(\.severity) == [.warning])
        #expect(issues.map(\.code) == [.modelValue])
        #expect(issues.first?.place == ModelIssue.Place(line: 1, column: 40, entity: "E", property: "a"))
        #expect(attribute.defaultValue == nil)
        #expect(attribute.extras[attribute: name] != nil)
        let model = Model(entities: [Entity(name: "E", attributes: [attribute])])
        #expect(model.issues().filter { $0.severity == .error } == [])
        #expect(try ModelVersion(contents: model.contents()).model == model)
    }

    @Test(
        "obsolete values that Xcode leaves behind are read or kept with a warning",
        arguments: [
            ("attributeType='Integer 64' defaultValueString='NO'", Value.integer(0)),
            ("attributeType='Date' minValueString='12/4/2013'", Value?.none),
            ("attributeType='String' defaultDateTimeInterval='1'", Value?.none),
            ("attributeType='Transformable' defaultValueString='x'", Value?.none),
            ("attributeType='String' derivationExpression='now()'", Value?.none),
        ]
    )
    func leftBehind(xml: String, value: Value?) throws {
        let (attribute, issues) = try read(attribute: xml)
        #expect(issues.map(\.severity) == [.warning])
        #expect(attribute.defaultValue == value)
        #expect(attribute.extras.attributes.count == 1)
    }

    @Test("an empty transformer name differs from a missing one")
    func emptyTransformer() throws {
        let (empty, _) = try read(attribute: "attributeType='Transformable' valueTransformerName=''")
        let (none, _) = try read(attribute: "attributeType='Transformable'")
        #expect(empty.type == none.type)
        #expect(empty != none)
        let model = Model(entities: [Entity(name: "E", attributes: [empty])])
        #expect(try model.contentsText().contains(#"valueTransformerName="""#))
    }

    @Test(
        "unknown parts of user info, indexes, constraints and configurations are kept with a note",
        arguments: [
            ("<userInfo x='1'/>", "attribute “x” of <userInfo>"),
            ("<userInfo><entry key='a' value='b' x='1'/></userInfo>", "attribute “x” of <entry>"),
            ("<userInfo><other/></userInfo>", "element <other> in <userInfo>"),
            ("<userInfo><entry key='a' value='b'><deep/></entry></userInfo>", "element <deep> in <entry>"),
            ("<compoundIndexes x='1'/>", "attribute “x” of <compoundIndexes>"),
            ("<compoundIndexes><compoundIndex x='1'/></compoundIndexes>", "attribute “x” of <compoundIndex>"),
            (
                "<compoundIndexes><compoundIndex><index value='a' x='1'/></compoundIndex></compoundIndexes>",
                "attribute “x” of <index>"
            ),
            (
                "<uniquenessConstraints><uniquenessConstraint><constraint value='a' x='1'/></uniquenessConstraint>"
                    + "</uniquenessConstraints>",
                "attribute “x” of <constraint>"
            ),
        ]
    )
    func unknownInGroups(group: String, what: String) throws {
        let version = try read(contents: "<entity name='E' syncable='YES'>\(group)</entity>")
        #expect(version.issues.map(\.message) == ["The unknown \(what) is preserved."])
        #expect(version.issues.map(\.code) == [.modelUnknown])
        #expect(try ModelVersion(contents: version.model.contents()).model == version.model)
        let configured = try read(contents: "<configuration name='C'><memberEntity name='E' x='1'/></configuration>")
        #expect(
            configured.issues.map(\.message) == ["The unknown attribute “x” of <memberEntity> is preserved."]
        )
    }

    @Test("unknown attributes and elements are kept with a note")
    func unknown() throws {
        let version = try read(
            contents: """
                <entity name="E" syncable="YES" color="red">
                    <attribute name="a" attributeType="String"><hint level="3"> deep </hint></attribute>
                    <uniquenessConstraints><uniquenessConstraint strict="YES"><constraint value="a"/>\
                </uniquenessConstraint></uniquenessConstraints>
                </entity>
                """
        )
        #expect(version.issues.map(\.severity) == [.note, .note, .note])
        #expect(
            version.issues.map(\.message) == [
                "The unknown element <hint> in <attribute> is preserved.",
                "The unknown attribute “color” of <entity> is preserved.",
                "The unknown attribute “strict” of <uniquenessConstraint> is preserved.",
            ]
        )
        let text = try version.model.contentsText()
        #expect(text.contains(#"color="red""#))
        #expect(text.contains(#"<hint level="3"> deep </hint>"#))
        #expect(text.contains(#"<uniquenessConstraint strict="YES">"#))
        #expect(try ModelVersion(contents: Array(text.utf8)).model == version.model)
    }

    @Test("hand-written variants of relationships are read")
    func handWritten() throws {
        let version = try read(
            contents: """
                <entity name="E">
                    <relationship name="a" destinationEntity="E" deleteRule="Cascade" maxCount="lots" minCount="0"/>
                    <relationship name="b" destinationEntity="E" toMany="true" maxCount="0" inverseName="a"/>
                    <relationship name="c" destinationEntity="E" maxCount="3"/>
                    <relationship name="d" destinationEntity="E" deletionRule="Shrug"/>
                </entity>
                """
        )
        let relationships = version.model.entities[0].relationships
        #expect(relationships.map(\.deleteRule) == [.cascade, .nullify, .nullify, .nullify])
        #expect(relationships.map(\.maximumCount) == [nil, nil, nil, nil])
        #expect(relationships.map(\.isToMany) == [false, true, false, false])
        #expect(version.issues.map(\.severity) == [.error, .note, .warning, .error])
        #expect(version.issues.map(\.place.line) == [2, 2, 4, 5])
        #expect(try ModelVersion(contents: version.model.contents()).model == version.model)
    }

    @Test("a missing required part is an error")
    func missing() throws {
        let version = try read(
            contents: """
                <entity><attribute/><relationship name="r"/><fetchedProperty name="f"/><fetchIndex name="i">\
                <fetchIndexElement/></fetchIndex></entity><fetchRequest name="t"/>
                """
        )
        #expect(version.issues.allSatisfy { $0.severity == .error && $0.code == .modelMissing })
        #expect(version.issues.count == 6)
    }

    @Test(
        "XML that isn't a model is refused with its position",
        arguments: [
            ("", ModelError.Code.syntax, 1), ("<model>\n<entity></model>", .syntax, 2), ("{}", .syntax, 1),
            ("<plist/>", .notAModel, 1),
        ]
    )
    func refused(text: String, code: ModelError.Code, line: Int) throws {
        let error = #expect(throws: ModelError.self) {
            try ModelVersion(contents: Array(text.utf8), file: "Model.xcdatamodel/contents")
        }
        #expect(error?.code == code)
        #expect(error?.place.line == line)
        #expect(error?.description.hasPrefix("Model.xcdatamodel/contents:\(line):1: ") == true || line == 2)
    }
}
