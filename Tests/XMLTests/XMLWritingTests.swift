// SPDX-License-Identifier: Apache-2.0
// The writer's text, and that it is read back as the same tree.

import Testing
import XML

@Suite struct XMLWritingTests {
    @Test("a model is written with four spaces, closed empty elements and no final line break")
    func model() throws {
        let model = XMLElement(
            "model",
            ["type": "x"],
            [XMLElement("entity", ["name": "A"], [XMLElement("attribute", ["name": "b"])]), XMLElement("elements")]
        )
        #expect(
            try model.serialized() == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="x">
                    <entity name="A">
                        <attribute name="b"/>
                    </entity>
                    <elements/>
                </model>
                """
        )
    }

    @Test("a property list is written with tabs, its document type, and without indenting the root's children")
    func propertyList() throws {
        let root = XMLElement(
            "plist",
            ["version": "1.0"],
            [XMLElement("dict", [:], [XMLElement("key", text: "k"), XMLElement("array", [:], [XMLElement("true")])])]
        )
        let document = XMLDocument(
            doctype: XMLDoctype("plist", publicID: "-//x", systemID: "http://y"),
            comments: [" c "],
            root: root
        )
        let text = try document.serialized(.propertyList)
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//x" "http://y">
                <!-- c -->
                <plist version="1.0">
                <dict>
                \t<key>k</key>
                \t<array>
                \t\t<true/>
                \t</array>
                </dict>
                </plist>

                """
        )
        #expect(try XMLDocument(parsing: text).doctype == document.doctype)
    }

    @Test("special characters are escaped only where necessary")
    func escapes() throws {
        let element = XMLElement(
            "a",
            attributes: [XMLAttribute(name: "b", value: "<&>\"'\n\t\r")],
            children: [.text("<&>\"'\n\t\r]]>")]
        )
        #expect(
            try element.serialized(.compact)
                == "<a b=\"&lt;&amp;&gt;&quot;'&#10;&#9;&#13;\">&lt;&amp;&gt;\"'\n\t&#13;]]&gt;</a>"
        )
    }

    @Test("elements with text are written inline, with everything in them")
    func inline() throws {
        let text = "<a>\n    <b>x<c><d/><e/></c></b>\n    <!-- f -->\n</a>"
        let format = XMLFormat(declaration: .none)
        #expect(try XMLElement(parsing: text).withoutLayout().serialized(format) == text)
        #expect(try XMLElement(parsing: text).serialized(format) == text)
    }

    static let unwritableTrees: [XMLElement] = [
        XMLElement("a b"), XMLElement(""), XMLElement("a", ["1": ""]), XMLElement("a", text: "\u{0}"),
        XMLElement("a", ["b": "\u{FFFE}"]), XMLElement("a", children: [.comment("--")]),
        XMLElement("a", children: [.comment("x-")]), XMLElement("a", children: [.comment("\u{1}")]),
    ]

    @Test("a tree that XML can't represent isn't written", arguments: unwritableTrees)
    func unwritable(_ element: XMLElement) throws {
        let error = try #require(throws: XMLError.self) { try element.serialized() }
        #expect(error.code == .unwritable || error.code == .forbiddenCharacter)
        #expect(error.position == nil)
    }

    @Test("random trees are read back from their text", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var trees = RandomTrees(seed: seed)
        let tree = trees.element(depth: 5)
        #expect(try XMLElement(parsing: tree.serialized(.compact)) == tree, "seed \(seed)")
        for format in [XMLFormat.model, .propertyList, XMLFormat(indentation: .spaces(2))] {
            let read = try XMLElement(parsing: tree.serialized(format))
            #expect(read.withoutLayout() == tree.withoutLayout(), "seed \(seed)")
            #expect(try read.serialized(format) == tree.serialized(format), "seed \(seed)")
        }
    }
}
