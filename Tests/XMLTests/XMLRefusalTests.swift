// SPDX-License-Identifier: Apache-2.0
// The texts that the reader refuses, the reasons, and the positions of errors.

import SourceText
import Testing
import XML

@Suite struct XMLRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: XMLError.Code
        let description: String
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ code: XMLError.Code, _ description: String) {
            self.text = text
            self.code = code
            self.description = description
        }
    }

    static let illFormedTexts: [Case] = [
        Case("", .unexpectedEnd, "1:1: Expected a root element, found the end of the text."),
        Case(" \n ", .unexpectedEnd, "2:2: Expected a root element, found the end of the text."),
        Case("x", .syntax, "1:1: Expected a root element, found “x”."),
        Case("<a>", .unexpectedEnd, "1:4: Expected </a> to close <a>, opened at 1:1, found the end of the text."),
        Case("<a>\n<b></a>", .mismatchedTag, "2:4: Expected </b> to close <b>, opened at 2:1, found </a>."),
        Case("<a/><b/>", .syntax, "1:5: Expected the end of the text after the root element, found “<”."),
        Case("<a/>x", .syntax, "1:5: Expected the end of the text after the root element, found “x”."),
        Case("<a></a", .unexpectedEnd, "1:7: Expected > to end the tag </a>, found the end of the text."),
        Case("</a>", .syntax, "1:2: Expected a name after <, found “/”."),
        Case("< a/>", .syntax, "1:2: Expected a name after <, found a space."),
        Case("<1/>", .syntax, "1:2: Expected a name after <, found “1”."),
        Case("<a b/>", .syntax, "1:5: Expected = after the attribute name b, found “/”."),
        Case("<a b=c/>", .syntax, "1:6: Expected a quoted value for the attribute b, found “c”."),
        Case("<a b='1'c='2'/>", .syntax, "1:9: Expected white space, > or /> in the tag <a>, found “c”."),
        Case("<a b='1", .unexpectedEnd, "1:8: Expected a closing quotation mark, found the end of the text."),
        Case("<a b='<'/>", .syntax, "1:7: An attribute value must not contain < (write &lt;)."),
        Case("<a b='' c='' b=''/>", .duplicateAttribute, "1:14: The attribute b occurs twice in <a>."),
        Case("<a/ >", .syntax, "1:4: Expected > after / to end the tag <a>, found a space."),
        Case("<a>]]></a>", .syntax, "1:4: Text must not contain ]]> (write ]]&gt;)."),
        Case(
            "<a><![CDATA[x</a>",
            .unexpectedEnd,
            "1:18: Expected ]]> to end the CDATA section, found the end of the text."
        ),
        Case("<a><!b></a>", .syntax, "1:5: Expected a name after <, found “!”."),
        Case("<a><!-- -- --></a>", .syntax, "1:9: A comment must not contain -- before its end."),
        Case("<a><!-- --->", .syntax, "1:9: A comment must not contain -- before its end."),
        Case("<!-- ", .unexpectedEnd, "1:6: Expected --> to end the comment, found the end of the text."),
        Case(
            "<?p",
            .unexpectedEnd,
            "1:4: Expected white space or ?> after the name of a processing instruction, found the end of the text."
        ),
        Case("<?p ", .unexpectedEnd, "1:5: Expected ?> to end the processing instruction, found the end of the text."),
        Case(" <?xml version='1.0'?><a/>", .syntax, "1:2: An XML declaration is allowed only at the very start."),
        Case("<?xml encoding='UTF-8'?><a/>", .syntax, "1:6: Expected version=\"1.0\", found a space."),
        Case("<?xml version='2.0'?><a/>", .syntax, "1:16: The XML version must be 1.0, not 2.0."),
        Case("<?xml version='1.0' standalone='on'?><a/>", .syntax, "1:33: Standalone must be yes or no."),
        Case("<?xml version='1.0' x='1'?><a/>", .syntax, "1:21: Expected ?> to end the XML declaration, found “x”."),
        Case(
            "<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
            .unsupportedEncoding,
            "1:31: The text is encoded as ISO-8859-1, but only UTF-8 and US-ASCII can be read."
        ),
        Case(
            "<a>x & y</a>",
            .syntax,
            "1:7: Expected the name of an entity after & (write &amp; for an ampersand), found a space."
        ),
        Case("<a>&amp</a>", .syntax, "1:8: Expected ; to end the reference &amp, found “<”."),
        Case(
            "<a>&nbsp;</a>",
            .undeclaredEntity,
            "1:4: The entity &nbsp; is unknown: only &amp; &lt; &gt; &quot; and &apos; may be used, and declarations in the document are not read."
        ),
        Case("<a b='&#0;'/>", .invalidReference, "1:7: The reference &#0; doesn't name a character that XML allows."),
        Case(
            "<a>&#xD800;</a>",
            .invalidReference,
            "1:4: The reference &#xD800; doesn't name a character that XML allows."
        ),
        Case(
            "<a>&#99999999999999;</a>",
            .invalidReference,
            "1:4: The reference &#99999999999999; doesn't name a character that XML allows."
        ),
        Case("<a>&#;</a>", .syntax, "1:6: Expected the digits of a character reference, found “;”."),
        Case("<a>&#xG;</a>", .syntax, "1:7: Expected the digits of a character reference, found “G”."),
        Case("<a>\n\u{0}</a>", .forbiddenCharacter, "2:1: The character U+0000 isn't allowed in XML."),
        Case("<a b='ü\u{1B}'/>", .forbiddenCharacter, "1:8: The character U+001B isn't allowed in XML."),
        Case("<a>\u{FFFF}</a>", .forbiddenCharacter, "1:4: The character U+FFFF isn't allowed in XML."),
        Case("<!DOCTYPE a><!DOCTYPE a><a/>", .syntax, "1:14: Expected a name after <, found “!”."),
        Case(
            "<!DOCTYPE a [<!ENTITY",
            .unexpectedEnd,
            "1:22: Expected > to end the declaration, found the end of the text."
        ),
        Case("<!DOCTYPE a [x]><a/>", .syntax, "1:14: Expected a declaration, or ] to end the declarations, found “x”."),
        Case(
            "<!DOCTYPE a PUBLIC 'x'><a/>",
            .syntax,
            "1:23: Expected white space after the public identifier, found “>”."
        ),
    ]

    @Test("ill-formed texts are refused with a position and the expected token", arguments: illFormedTexts)
    func illFormed(_ sample: Case) throws {
        let error = try #require(throws: XMLError.self) { try XMLElement(parsing: sample.text) }
        #expect(error.code == sample.code)
        #expect(error.description == sample.description)
    }

    @Test("invalid UTF-8 is refused at its first byte")
    func invalidUTF8() throws {
        let bytes = Array("<a>\n".utf8) + [0xC3, 0xBC, 0xC3, 0x28] + Array("</a>".utf8)
        let error = try #require(throws: XMLError.self) { try XMLElement(parsing: bytes) }
        #expect(error.code == .invalidUTF8)
        #expect(error.position == TextPosition(line: 2, column: 2))
    }

    @Test(
        "the refusal of UTF-16 names it as the reason",
        arguments: [[0xFE, 0xFF, 0, 0x3C], [0xFF, 0xFE], [0x3C, 0, 0x61, 0], [0, 0x3C]]
    )
    func utf16(_ bytes: [UInt8]) throws {
        let error = try #require(throws: XMLError.self) { try XMLElement(parsing: bytes) }
        #expect(error.code == .unsupportedEncoding)
        #expect(error.message.contains("UTF-16"))
    }
}
