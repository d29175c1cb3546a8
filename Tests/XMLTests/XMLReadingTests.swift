// SPDX-License-Identifier: Apache-2.0
// The texts that the reader accepts, and their trees.

import SourceText
import Testing
import XML

@Suite struct XMLReadingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let root: XMLElement
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ root: XMLElement) {
            self.text = text
            self.root = root
        }
    }

    static let wellFormedTexts: [Case] = [
        Case("<a/>", XMLElement("a")),
        Case("<a />", XMLElement("a")),
        Case("<a></a >", XMLElement("a")),
        Case("\u{FEFF}<a/>", XMLElement("a")),
        Case("<?xml version='1.0'?><a/>", XMLElement("a")),
        Case("<?xml version=\"1.0\" encoding=\"utf-8\" standalone='no' ?>\n<a/>\n", XMLElement("a")),
        Case("<?xml version=\"1.1\" encoding=\"US-ASCII\"?><a/>", XMLElement("a")),
        Case("<?xml-stylesheet href='x'?><a/><?end?>", XMLElement("a")),
        Case("<!-- one --><a/><!-- two -->", XMLElement("a")),
        Case("<x:a.b-1 _c='1'/>", XMLElement("x:a.b-1", ["_c": "1"])),
        Case("<größe 名='值'/>", XMLElement("größe", ["名": "值"])),
        Case("<a b=\"1\"\n\tc = '2'/>", XMLElement("a", ["b": "1", "c": "2"])),
        Case("<a b='\"' c=\"'\"/>", XMLElement("a", ["b": "\"", "c": "'"])),
        Case("<a b='>/&gt;'/>", XMLElement("a", ["b": ">/>"])),
        Case("<a b='1\n2\t3\r\n4\r5'/>", XMLElement("a", ["b": "1 2 3 4 5"])),
        Case("<a b='1&#10;2&#x9;3&#xD;4'/>", XMLElement("a", ["b": "1\n2\t3\r4"])),
        Case("<a>x</a>", XMLElement("a", text: "x")),
        Case("<a>&amp;&lt;&gt;&quot;&apos;</a>", XMLElement("a", text: "&<>\"'")),
        Case("<a>&#65;&#x1F600;&#x0000041;</a>", XMLElement("a", text: "A😀A")),
        Case("<a>1\r\n2\r3\n\r4</a>", XMLElement("a", text: "1\n2\n3\n\n4")),
        Case("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", XMLElement("a", text: "<b>&amp;]]>")),
        Case("<a><![CDATA[1\r\n2\r]]></a>", XMLElement("a", text: "1\n2\n")),
        Case("<a><![CDATA[]]></a>", XMLElement("a")),
        Case("<a>x<![CDATA[y]]>&#122;<?p q?>!</a>", XMLElement("a", text: "xyz!")),
        Case("<a>]] > ]></a>", XMLElement("a", text: "]] > ]>")),
        Case("<a> </a>", XMLElement("a", text: " ")),
        Case(
            "<a><b/><c><d/></c></a>",
            XMLElement("a", [:], [XMLElement("b"), XMLElement("c", [:], [XMLElement("d")])])
        ),
        Case(
            "<a>x<b>y</b><!-- - --> z</a>",
            XMLElement(
                "a",
                children: [.text("x"), .element(XMLElement("b", text: "y")), .comment(" - "), .text(" z")]
            )
        ),
        Case(
            "<!DOCTYPE a [<!ENTITY x \"]>\"> <!-- ]> ' --> <?p ]>?> %y; <!ELEMENT a (b)>]><a/>",
            XMLElement("a")
        ),
    ]

    @Test("well-formed texts are read as their trees", arguments: wellFormedTexts)
    func wellFormed(_ sample: Case) throws {
        #expect(try XMLElement(parsing: sample.text) == sample.root)
    }

    @Test("a document keeps its type and the comments before its root")
    func prolog() throws {
        let document = try XMLDocument(
            parsing: "<!-- 1 --><!DOCTYPE plist PUBLIC '-//X' \"http://x/y\" [ ] ><!-- 2 --><plist/><!-- 3 -->"
        )
        #expect(document.doctype == XMLDoctype("plist", publicID: "-//X", systemID: "http://x/y"))
        #expect(document.comments == [" 1 ", " 2 "])
        #expect(try XMLDocument(parsing: "<!DOCTYPE a SYSTEM 'b'><a/>").doctype == XMLDoctype("a", systemID: "b"))
    }

    @Test("elements have positions, which equality ignores")
    func positions() throws {
        let root = try XMLElement(parsing: "\r\n<a>\r<b/>\nüü<c\n/></a>")
        #expect(root.position == TextPosition(line: 2, column: 1))
        #expect(root.elements.map(\.position) == [TextPosition(line: 3, column: 1), TextPosition(line: 4, column: 3)])
        #expect(root.elements[0] == XMLElement("b"))
        #expect(root.elements[0].hashValue == XMLElement("b").hashValue)
    }

    @Test("children and attributes are found by name, and the first child of a name first")
    func lookup() throws {
        let root = try XMLElement(parsing: "<a x='1' y=''>one<b i='1'/> <c/>two<b i='2'/></a>")
        #expect(root["x"] == "1")
        #expect(root["y"] == "")
        #expect(root["z"] == nil)
        #expect(root.elements.map(\.name) == ["b", "c", "b"])
        #expect(root.elements(named: "b").map { $0["i"] } == ["1", "2"])
        #expect(root.first(named: "b")?["i"] == "1")
        #expect(root.first(named: "d") == nil)
        #expect(root.text == "one two")
    }

    @Test("setting an attribute replaces it in place, appends it, or removes it")
    func settingAttributes() {
        var element = XMLElement("a", ["x": "1", "y": "2"])
        element["x"] = "3"
        element["z"] = "4"
        element["y"] = nil
        element["w"] = nil
        #expect(element == XMLElement("a", ["x": "3", "z": "4"]))
    }

    @Test("only white space beside nodes, without other text, counts as layout")
    func layout() throws {
        let root = try XMLElement(parsing: "<a>\n  <b> </b>\n  <c>x <d/> <e/></c>\n</a>")
        #expect(root.hasLayout)
        #expect(root.children[0].isWhitespace)
        #expect(root.elements.map(\.hasLayout) == [false, false])
        #expect(try root.withoutLayout() == XMLElement(parsing: "<a><b> </b><c>x <d/> <e/></c></a>"))
    }
}
