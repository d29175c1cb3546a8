// SPDX-License-Identifier: Apache-2.0

// Writing a model's XML as Xcode would, with nothing lost and nothing outdated.

import ObjectModel
import Predicates
import Testing
import XML

@Suite("Writing a model's XML")
struct ContentsWritingTests {
    @Test("XML with every feature is written back byte for byte")
    func everythingComesBack() throws {
        #expect(try ModelVersion(contents: Array(everything.utf8)).model.contentsText() == everything)
    }

    @Test("a model made in code is written as Xcode would write it")
    func madeInCode() throws {
        let model = Model(entities: [
            Entity(
                name: "Post",
                attributes: [Attribute(name: "views", type: .int64, isOptional: true, defaultValue: 0)],
                relationships: [Relationship(name: "author", destinationName: "User", inverseName: "posts")]
            )
        ])
        #expect(
            try model.contentsText() == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model userDefinedModelVersionIdentifier="" type="com.apple.IDECoreDataModeler.DataModel" \
                documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="11A491" minimumToolsVersion="Automatic">
                    <entity name="Post" syncable="YES">
                        <attribute name="views" optional="YES" attributeType="Integer 64" defaultValueString="0"/>
                        <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="User" \
                inverseName="posts" inverseEntity="User"/>
                    </entity>
                </model>
                """
        )
    }

    @Test("a value keeps its original text until the value changes")
    func rawText() throws {
        var (attribute, _) = try read(attribute: "attributeType='Double' optional='NO' defaultValueString='5'")
        #expect(attribute.extras[attribute: "defaultValueString"] == "5")
        func written() throws -> String {
            try Model(entities: [Entity(name: "E", attributes: [attribute])]).contentsText()
        }
        #expect(try written().contains(#"optional="NO" attributeType="Double" defaultValueString="5"/>"#))
        attribute.defaultValue = 6.0
        #expect(try written().contains(#"optional="NO" attributeType="Double" defaultValueString="6.0"/>"#))
        attribute.isOptional = true
        #expect(try written().contains(#"optional="YES" attributeType="Double" defaultValueString="6.0"/>"#))
    }

    @Test("a kept element is rewritten when its value changes")
    func staleGroup() throws {
        var model = try read(
            contents: "<entity name='E'><userInfo><entry key='a' value='b' c='d'/></userInfo></entity>"
        )
        .model
        #expect(try model.contentsText().contains(#"<entry key="a" value="b" c="d"/>"#))
        model.entities[0].userInfo = ["a": "x"]
        let text = try model.contentsText()
        #expect(text.contains(#"<entry key="a" value="x"/>"#))
        #expect(!text.contains("c="))
    }

    @Test(
        "writing a value that XML or a model can't express fails",
        arguments: [
            Attribute(name: "a\u{1}", type: .string), Attribute(name: "a", type: .string, defaultValue: "\u{0}"),
            Attribute(name: "a", type: .double, defaultValue: .double(.infinity)),
            Attribute(name: "a", type: .string, defaultValue: .array([])),
        ]
    )
    func unwritable(attribute: Attribute) throws {
        let error = #expect(throws: ModelError.self) {
            try Model(entities: [Entity(name: "E", attributes: [attribute])]).contents()
        }
        #expect(error?.code == .unwritable)
    }
}
