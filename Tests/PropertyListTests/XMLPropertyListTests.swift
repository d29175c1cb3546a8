// SPDX-License-Identifier: Apache-2.0

// The XML format of property lists.

import PropertyList
import TestSupport
import Testing

@Suite("XML property lists")
struct XMLPropertyListTests {
    @Test("an XML property list is read back as written", arguments: SeededGenerator.seeds(100))
    func roundTrip(seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed, isForXML: true)
        let value = random.value()
        #expect(try PropertyListValue(parsing: value.xml()) == value)
    }

    @Test("the text of an XML property list has the usual header, tabs and elements")
    func text() throws {
        let list: PropertyListValue = [
            "NSStoreType": "SQLite", "a": [1, 2.5, true], "b": .data([1, 2]), "c": .date(0),
        ]
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>NSStoreType</key>
            \t<string>SQLite</string>
            \t<key>a</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<real>2.5</real>
            \t\t<true/>
            \t</array>
            \t<key>b</key>
            \t<data>AQI=</data>
            \t<key>c</key>
            \t<date>2001-01-01T00:00:00Z</date>
            </dict>
            </plist>

            """
        #expect(String(decoding: try list.xml(), as: UTF8.self) == text)
        #expect(try PropertyListValue(parsing: Array(text.utf8)) == list)
    }

    @Test("line breaks in data and white space around numbers are accepted")
    func whiteSpace() throws {
        let text = "<plist><array><data>\n\tAQ\n\tI=\n</data><integer> 7 </integer></array></plist>"
        #expect(try PropertyListValue(parsing: Array(text.utf8)) == [.data([1, 2]), 7])
    }

    @Test(
        "a damaged XML property list is refused with the position of the damage",
        arguments: [
            ("<plist></plist>", "1:1: A property list must have one value, but this one has 0."),
            ("<plist><number>1</number></plist>", "1:8: <number> isn't a type of property lists."),
            ("<plist><integer>x</integer></plist>", "1:8: This isn't a valid value of <integer>."),
            ("<plist><date>today</date></plist>", "1:8: This isn't a valid value of <date>."),
            ("<plist><data>?</data></plist>", "1:8: This isn't a valid value of <data>."),
            ("<plist><dict><key>a</key></dict></plist>", "1:14: A <key> and its value are expected here."),
            (
                "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
                "1:33: The dictionary has the key “a” twice."
            ),
            ("<html/>", "The bytes are neither a binary property list nor one in XML."),
            ("{}", "The bytes are neither a binary property list nor one in XML."),
        ]
    )
    func damage(text: String, message: String) {
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test("a date or text that XML can't represent isn't written")
    func unwritable() {
        #expect(throws: PropertyListError.self) { try PropertyListValue.date(1e15).xml() }
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue.string("\u{0}").xml() }
        #expect(error?.code == .unwritable)
    }

    @Test("nesting is limited in depth when reading and writing")
    func depth() throws {
        func nested(_ count: Int) -> PropertyListValue {
            (0..<count).reduce(1) { value, _ in .array([value]) }
        }
        #expect(try PropertyListValue(parsing: nested(100).xml()) == nested(100))
        #expect(throws: PropertyListError.self) { try nested(101).xml() }
        let text =
            "<plist>" + String(repeating: "<array>", count: 102) + String(repeating: "</array>", count: 102)
            + "</plist>"
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(text.utf8)) }
        #expect(error?.code == .limitExceeded)
    }
}
