// SPDX-License-Identifier: Apache-2.0
// The texts that the reader refuses, the positions of errors, and the hints for common mistakes.

import JSON
import SourceText
import Testing

@Suite struct JSONRefusalTests {
    static let refused: [(String, JSONError.Code, String)] = [
        ("", .unexpectedEnd, "1:1: Expected a value, found the end of the text."),
        (" \n", .unexpectedEnd, "2:1: Expected a value, found the end of the text."),
        ("1 2", .syntax, "1:3: Expected the end of the text after the value, found “2”."),
        ("[", .unexpectedEnd, "1:2: Expected a value or ], found the end of the text."),
        ("[\n1 2]", .syntax, "2:3: Expected a comma, or ] to close the array opened at 1:1, found “2”."),
        ("[1,]", .syntax, "1:4: Expected a value after the comma, found “]” (JSON has no trailing commas)."),
        ("[,1]", .syntax, "1:2: Expected a value or ], found “,”."),
        ("[1}", .syntax, "1:3: Expected a comma, or ] to close the array opened at 1:1, found “}”."),
        ("]", .syntax, "1:1: Expected a value, found “]”."),
        (
            "{\"a\":1,}", .syntax,
            "1:8: Expected a name in double quotes after the comma, found “}” (JSON has no trailing commas)."
        ),
        ("{\"a\" 1}", .syntax, "1:6: Expected a colon after the name \"a\", found “1”."),
        ("{\"a\":}", .syntax, "1:6: Expected a value for \"a\", found “}”."),
        ("{\"a\":1 \"b\":2}", .syntax, "1:8: Expected a comma, or } to close the object opened at 1:1, found “\"”."),
        ("{a:1}", .syntax, "1:2: Expected a name in double quotes or }, found “a” (text is in double quotes)."),
        ("{1:1}", .syntax, "1:2: Expected a name in double quotes or }, found “1”."),
        ("{'a':1}", .syntax, "1:2: Expected a name in double quotes or }, found \"'\" (JSON uses double quotes)."),
        ("{\"a\":1,\n \"a\":2}", .duplicateName, "2:2: The name \"a\" occurs twice in the object."),
        ("{\"a\":1,\"\\u0061\":2}", .duplicateName, "1:8: The name \"a\" occurs twice in the object."),
        ("'a'", .syntax, "1:1: Expected a value, found \"'\" (JSON uses double quotes)."),
        ("// a\n1", .syntax, "1:1: Expected a value, found “/” (JSON has no comments)."),
        (
            "[1 /* */]", .syntax,
            "1:4: Expected a comma, or ] to close the array opened at 1:1, found “/” (JSON has no comments)."
        ),
        ("# a", .syntax, "1:1: Expected a value, found “#” (JSON has no comments)."),
        ("True", .syntax, "1:1: Expected a value, found “T” (true, false and null are in lower case)."),
        ("None", .syntax, "1:1: Expected a value, found “N” (write null)."),
        ("NaN", .syntax, "1:1: Expected a value, found “N” (JSON has no NaN and no infinity)."),
        (
            "-Infinity", .syntax,
            "1:2: Expected a digit after the minus sign, found “I” (JSON has no NaN and no infinity)."
        ),
        ("nulll", .syntax, "1:1: Expected a value, found “n” (text is in double quotes)."),
        ("[tru", .syntax, "1:2: Expected a value or ], found “t” (text is in double quotes)."),
        ("\u{0}", .syntax, "1:1: Expected a value, found the character U+0000."),
        ("1\u{0}", .syntax, "1:2: Expected the end of the text after the value, found the character U+0000."),
        ("\u{A0}1", .syntax, "1:1: Expected a value, found the character U+00A0."),
        ("+1", .syntax, "1:1: Expected a value, found “+” (a number has no plus sign)."),
        (".5", .syntax, "1:1: Expected a value, found “.” (a number needs a digit before its point)."),
        ("5.", .unexpectedEnd, "1:3: Expected a digit after the point, found the end of the text."),
        ("[-]", .syntax, "1:3: Expected a digit after the minus sign, found “]”."),
        ("01", .invalidNumber, "1:1: A number must not have leading zeros."),
        ("-00", .invalidNumber, "1:1: A number must not have leading zeros."),
        (
            "0x1F", .syntax,
            "1:2: Expected the end of the text after the value, found “x”."
        ),
        ("1e", .unexpectedEnd, "1:3: Expected a digit of the exponent, found the end of the text."),
        ("1e+x", .syntax, "1:4: Expected a digit of the exponent, found “x”."),
        ("1e1234567890", .invalidNumber, "1:1: The exponent of the number has more than 9 digits."),
        (
            "\"ab", .unexpectedEnd,
            "1:4: Expected a closing quotation mark for the string opened at 1:1, found the end of the text."
        ),
        ("\"a\nb\"", .invalidString, "1:3: A string must not contain a line end (write \\n)."),
        ("\"a\tb\"", .invalidString, "1:3: A string must not contain the character U+0009 unescaped."),
        ("\"\u{0}\"", .invalidString, "1:2: A string must not contain the character U+0000 unescaped."),
        (
            "\"\\x\"", .syntax,
            "1:3: Expected one of \" \\ / b f n r t u after a backslash, found “x”."
        ),
        (
            "\"\\", .unexpectedEnd,
            "1:3: Expected one of \" \\ / b f n r t u after a backslash, found the end of the text."
        ),
        (
            "\"\\u12G4\"", .syntax,
            "1:6: Expected four hexadecimal digits after \\u, found “G”."
        ),
        ("\"\\uD800\"", .invalidString, "1:2: The escape is only half of a surrogate pair."),
        ("\"\\uD800\\n\"", .invalidString, "1:2: The escape is only half of a surrogate pair."),
        ("\"\\uD800\\u0041\"", .invalidString, "1:2: The escape is only half of a surrogate pair."),
        ("\"\\uDC00\\uD800\"", .invalidString, "1:2: The escape is only half of a surrogate pair."),
    ]

    @Test("invalid texts are refused with a position, the expected token and a hint", arguments: refused)
    func refuses(sample: (text: String, code: JSONError.Code, description: String)) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: sample.text) }
        #expect(error.code == sample.code)
        #expect(error.description == sample.description)
    }

    @Test(
        "invalid UTF-8 is refused at its first byte",
        arguments: [[0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xFF]]
    )
    func invalidUTF8(_ wrong: [UInt8]) throws {
        let bytes = Array("[\n\"ü".utf8) + wrong + Array("\"]".utf8)
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: bytes) }
        #expect(error.code == .invalidUTF8)
        #expect(error.position == TextPosition(line: 2, column: 3))
    }

    @Test("an unclosed comment is refused", arguments: ["1 /*", "1 /* *", "1 /*/"])
    func unclosedComment(_ text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text, allowingComments: true) }
        #expect(error.code == .unexpectedEnd)
    }

    @Test("a million open brackets are refused at the depth limit", arguments: ["[", "{\"a\":"])
    func hostileDepth(_ opening: String) throws {
        let deep = Array(repeatElement(opening.utf8, count: 1_000_000).joined())
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: deep) }
        #expect(error.code == .limitExceeded)
        #expect(error.position == TextPosition(line: 1, column: 128 * opening.count + 1))
    }

    @Test("a text at a limit is read, and one beyond it is refused")
    func limits() throws {
        let limits = JSONLimits(depth: 2, bytes: 12, numberLength: 3)
        #expect(throws: Never.self) { try JSONValue(parsing: "[[123, 4]]  ", limits: limits) }
        for text in ["[[[]]]", "[[123, 4]]   ", "1234"] {
            let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text, limits: limits) }
            #expect(error.code == .limitExceeded)
        }
    }

    @Test(
        "a text is limited in the number of its values at all levels",
        arguments: [
            "[[],[],[]]", "[1,[2,3]]", "{\"a\":{\"b\":[],\"c\":0}}",
        ]
    )
    func values(text: String) throws {
        let count = text.hasPrefix("[1") ? 5 : 4
        #expect(throws: Never.self) { try JSONValue(parsing: text, limits: JSONLimits(values: count)) }
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: text, limits: JSONLimits(values: count - 1))
        }
        #expect(error.code == .tooManyValues)
        #expect(error.message == "The text has more than \(count - 1) values, the limit.")
        // The limit applies to each value of a stream.
        var lines = JSONStreamReader(.lines, limits: JSONLimits(values: count), nextBytes: pieces("\(text)\n\(text)"))
        var found = 0
        while try lines.next() != nil { found += 1 }
        #expect(found == 2)
    }

    private func pieces(_ text: String) -> () -> [UInt8]? {
        var rest: [UInt8]? = Array(text.utf8)
        return {
            defer { rest = nil }
            return rest
        }
    }

    @Test("a text truncated or damaged at any byte gives an error or a value that can be written")
    func damaged() throws {
        let bytes =
            Array(#"{"a\u00FC":[1,-2.5e+3,true,null,"x\uD83D\uDE00 ü"],/* c */"b":{} // d"#.utf8) + Array("\n}".utf8)
        #expect(throws: Never.self) { try JSONValue(parsing: bytes, allowingComments: true) }
        for end in bytes.indices {
            #expect(throws: JSONError.self, "cut at \(end)") {
                try JSONValue(parsing: bytes[..<end], allowingComments: true)
            }
        }
        for offset in bytes.indices {
            for byte in [0x00, 0x0A, 0x22, 0x2C, 0x2F, 0x30, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[offset] = byte
                if let value = try? JSONValue(parsing: damaged, allowingComments: true) {
                    #expect(try JSONValue(parsing: value.serialized()) == value, "byte \(byte) at \(offset)")
                }
            }
        }
    }
}
