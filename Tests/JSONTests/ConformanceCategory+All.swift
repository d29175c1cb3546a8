// SPDX-License-Identifier: Apache-2.0
// The table of categories, in the order of RFC 8259.

import JSON

extension ConformanceCategory {
    static let all = [
        structure, literals, whitespace, objects, arrays, integers, fractions, exponents, largeNumbers, strings,
        escapes,
        surrogates, encoding, otherEncodings, byteOrderMarks, depth,
    ]

    private static let structure = ConformanceCategory(
        name: "the text as a whole",
        valid: same(["{}", "[]", "1", "\"a\"", "null", "true"]),
        invalid: refused([
            ("", .unexpectedEnd), (" ", .unexpectedEnd), ("1 2", .syntax), ("1,", .syntax), (",1", .syntax),
            ("{}{}", .syntax),
            ("{},", .syntax), ("[]]", .syntax), ("{}}", .syntax), ("\"a\" \"b\"", .syntax), ("[1]x", .syntax),
            ("1;", .syntax),
            ("(1)", .syntax), ("<null>", .syntax), ("/**/1", .syntax), ("1//", .syntax), ("#\n1", .syntax),
            ("=1", .syntax),
            ("\u{0}", .syntax), ("1\u{0}", .syntax), ("{}\u{0}", .syntax), ("*", .syntax), ("\\u005B]", .syntax),
        ])
    )

    private static let literals = ConformanceCategory(
        name: "the three literals",
        valid: same(["null", "true", "false", "[null,true,false]"]),
        invalid: refused(
            .syntax,
            [
                "nul", "nulll", "Null", "NULL", "tru", "True", "truee", "fals", "FALSE", "falsey", "nullnull", "true1",
                "true_", "undefined", "None", "nil", "yes", "NaN", "nan", "Infinity", "inf", "a", "\\u0074rue", "ｎull",
                "null\"\"", "true[]",
            ]
        )
    )

    private static let whitespace = ConformanceCategory(
        name: "white space",
        valid: read([
            (" 1", "1"), ("1 ", "1"), ("\t1\t", "1"), ("\n1\n", "1"), ("\r\n1\r\n", "1"), ("\r1", "1"),
            (" \t\r\n 1 \n\r\t ", "1"), ("[\r1\t,\n2 ]", "[1,2]"), ("{ \"a\"\n:\t1\r}", "{\"a\":1}"),
        ]),
        // Form feed, vertical tab, no-break space, next line, separators, ideographic and zero-width space, no control.
        invalid: refused(
            .syntax,
            [
                "\u{C}1", "1\u{C}", "\u{B}1", "1\u{B}", "\u{A0}1", "1\u{A0}", "\u{85}1", "1\u{85}", "\u{2028}1",
                "1\u{2028}",
                "\u{2029}1", "\u{3000}1", "1\u{3000}", "\u{200B}1", "1\u{200B}", "\u{1C}1", "1\u{1F}", "[1,\u{C}2]",
            ]
        )
    )

    private static let objects = ConformanceCategory(
        name: "objects",
        valid: same([
            "{}", "{\"\":0}", "{\"a\":{\"a\":{}}}", "{\"a\":1,\"A\":2}", "{\"b\":1,\"a\":2}", "{\"\\u0000\":1}",
            "{\"a\":null,\"b\":null}",
        ]),
        invalid: refused([
            ("{", .unexpectedEnd), ("{\"a\"", .unexpectedEnd), ("{\"a\":", .unexpectedEnd),
            ("{\"a\":1", .unexpectedEnd),
            ("{\"a\":1,", .unexpectedEnd), ("}", .syntax), ("{]", .syntax), ("{\"a\":1]", .syntax),
            ("{\"a\"}", .syntax),
            ("{\"a\":}", .syntax), ("{:1}", .syntax), ("{\"a\" 1}", .syntax), ("{\"a\"::1}", .syntax),
            ("{\"a\"=1}", .syntax),
            ("{\"a\"=>1}", .syntax), ("{\"a\":1,}", .syntax), ("{,\"a\":1}", .syntax), ("{,}", .syntax),
            ("{\"a\":1,,\"b\":2}", .syntax), ("{\"a\":1 \"b\":2}", .syntax), ("{\"a\":1;\"b\":2}", .syntax),
            ("{a:1}", .syntax),
            ("{'a':1}", .syntax), ("{1:1}", .syntax), ("{null:1}", .syntax), ("{[]:1}", .syntax), ("{{}:1}", .syntax),
            ("{\"a\",\"b\"}", .syntax), ("{\"a\":1:2}", .syntax), ("{...}", .syntax), ("{/**/}", .syntax),
        ]),
        // Names should be unique, and the meaning of repeated names is left open. If readers chose different values,
        // they would disagree on the text.
        refused: refused([
            ("{\"a\":1,\"a\":2}", .duplicateName), ("{\"a\":1,\"a\":1}", .duplicateName),
            ("{\"\":1,\"\":2}", .duplicateName),
            ("{\"a\":1,\"\\u0061\":2}", .duplicateName), ("{\"b\":{\"a\":1,\"a\":2}}", .duplicateName),
            // One é, composed and decomposed: the same name in Swift, and therefore for a model's properties.
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", .duplicateName),
        ])
    )

    private static let arrays = ConformanceCategory(
        name: "arrays",
        valid: same(["[]", "[[]]", "[1]", "[[],{},\"\",0,null]", "[1,1,1]"]),
        invalid: refused([
            ("[", .unexpectedEnd), ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), ("[[]", .unexpectedEnd),
            ("]", .syntax),
            ("[1}", .syntax), ("[1,]", .syntax), ("[,1]", .syntax), ("[,]", .syntax), ("[1,,2]", .syntax),
            ("[1 2]", .syntax),
            ("[1;2]", .syntax), ("[1:2]", .syntax), ("[\"a\":1]", .syntax), ("[\"a\" \"b\"]", .syntax),
            ("[1][2]", .syntax),
            ("[1\u{0}]", .syntax), ("[*]", .syntax), ("[1,\n1\n,1", .unexpectedEnd),
        ])
    )

    private static let integers = ConformanceCategory(
        name: "integers",
        valid: same(["0", "1", "-1", "10", "-10", "1234567890"]),
        invalid: refused([
            ("01", .invalidNumber), ("-01", .invalidNumber), ("00", .invalidNumber), ("-00", .invalidNumber),
            ("007", .invalidNumber), ("-", .unexpectedEnd), ("--1", .syntax), ("+1", .syntax), ("+-1", .syntax),
            ("- 1", .syntax),
            ("1-", .syntax), ("1+1", .syntax), ("0x1F", .syntax), ("-0x1", .syntax), ("0b1", .syntax), ("0o7", .syntax),
            ("1_000", .syntax), ("1 000", .syntax), ("1L", .syntax), ("1n", .syntax), ("-a", .syntax),
            ("-Infinity", .syntax),
            ("-NaN", .syntax), ("\u{FF11}", .syntax), ("\u{661}", .syntax), ("\u{2212}1", .syntax), ("0'1", .syntax),
        ]),
        // The text is kept; as an integer it is 0, as a double negative zero.
        accepted: same(["-0", "[-0]"])
    )

    private static let fractions = ConformanceCategory(
        name: "fractions",
        valid: same(["0.5", "-0.5", "1.0", "1.00", "0.000", "123.456", "10.01"]),
        invalid: refused([
            (".5", .syntax), ("-.5", .syntax), ("1.", .unexpectedEnd), ("-1.", .unexpectedEnd), ("1.e1", .syntax),
            ("1.-5", .syntax), ("1..5", .syntax), ("1.5.2", .syntax), ("1,5", .syntax), ("01.5", .invalidNumber),
            ("00.5", .invalidNumber), ("1.5f", .syntax), ("0.", .unexpectedEnd), (".", .syntax), ("1. 5", .syntax),
        ]),
        accepted: same(["-0.0", "0.1000000000000000055511151231257827021181583404541015625"])
    )

    private static let exponents = ConformanceCategory(
        name: "exponents",
        valid: same(["1e1", "1E1", "1e+1", "1E-1", "0e0", "0E+5", "1.5e2", "-1.5E-2", "1e01", "1e00", "1e-000001"]),
        invalid: refused([
            ("1e", .unexpectedEnd), ("1E+", .unexpectedEnd), ("1e-", .unexpectedEnd), ("e1", .syntax), ("-e1", .syntax),
            ("1ee1", .syntax), ("1e1e1", .syntax), ("1e1.5", .syntax), ("1e++1", .syntax), ("1e 1", .syntax),
            ("1 e1", .syntax),
            ("1e0x1", .syntax), ("1ea", .syntax), ("0e", .unexpectedEnd), ("0.3e", .unexpectedEnd),
            ("1.0e+", .unexpectedEnd),
            ("1^2", .syntax),
        ]),
        // Nine digits are more than any number in use needs.
        accepted: same(["1e999999999", "1e-999999999", "0e999999999", "1e000000001"]),
        refused: refused([
            ("1e1000000000", .invalidNumber), ("1e-1000000000", .invalidNumber), ("0e1000000000", .invalidNumber),
            ("1e0000000001", .invalidNumber), ("1e99999999999999999999999999", .invalidNumber),
        ])
    )

    private static let largeNumbers = ConformanceCategory(
        name: "numbers beyond integers and doubles",
        valid: same(["9007199254740993", "9223372036854775807", "-9223372036854775808", "1.7976931348623157e308"]),
        invalid: refused([("9223372036854775808a", .syntax), ("1E400,", .syntax)]),
        // All digits are kept, even if a type has less precision.
        accepted: same([
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "123456789012345678901234567890",
            "1E400",
            "-1E400", "1e-400", "5e-324", "2e-324", "0." + String(repeating: "3", count: 200),
            String(repeating: "9", count: 1024),
        ]),
        refused: refused([
            (String(repeating: "9", count: 1025), .limitExceeded),
            ("0." + String(repeating: "3", count: 1023), .limitExceeded),
        ])
    )

    private static let strings = ConformanceCategory(
        name: "strings",
        valid: same([
            "\"\"", "\"a\"", "\" \"", "\"/\"", "\"'\"", "\"é\"", "\"😀\"", "\"// /* # */\"", "\"[{]}:,\"", "\"\u{A0}\"",
            "\"e\u{301}\"",
        ]),
        invalid: refused([
            ("\"", .unexpectedEnd), ("\"a", .unexpectedEnd), ("a\"", .syntax), ("'a'", .syntax),
            ("\"a'", .unexpectedEnd),
            ("\u{201C}a\u{201D}", .syntax), ("`a`", .syntax), ("\"a\"b\"", .syntax), ("\"\"\"a\"\"\"", .syntax),
            ("\"a\nb\"", .invalidString), ("\"a\rb\"", .invalidString), ("\"a\tb\"", .invalidString),
            ("\"\u{0}\"", .invalidString), ("\"\u{1}\"", .invalidString), ("\"\u{8}\"", .invalidString),
            ("\"\u{1B}\"", .invalidString), ("\"\u{1F}\"", .invalidString),
        ]),
        // Not control characters in JSON, so no escape is needed; noncharacters are valid characters.
        accepted: same([
            "\"\u{7F}\"", "\"\u{80}\u{9F}\"", "\"\u{85}\"", "\"\u{2028}\u{2029}\"", "\"\u{FFFE}\u{FFFF}\u{1FFFE}\"",
            "\"\u{10FFFF}\"", "\"\u{E000}\"", "\"\u{202E}\"", "\"a\u{FEFF}b\"",
        ])
    )

    private static let escapes = ConformanceCategory(
        name: "escapes",
        valid: read([
            (#""\"\\\/""#, #""\"\\/""#), (#""\b\f\n\r\t""#, #""\b\f\n\r\t""#), (#""\u0041\u00e9\u00E9""#, "\"Aéé\""),
            (#""\u0022\u005c""#, #""\"\\""#), (#""\u000a\u001F""#, #""\n\u001f""#),
            (#""\u2028\u007f""#, "\"\u{2028}\u{7F}\""),
            (#""\\u0041""#, #""\\u0041""#), (#""a\u0041a""#, "\"aAa\""), (#""\u00411""#, "\"A1\""),
        ]),
        invalid: refused([
            (#""\""#, .unexpectedEnd), (#""\"#, .unexpectedEnd), (#""\\\""#, .unexpectedEnd), (#""\x41""#, .syntax),
            (#""\a""#, .syntax), (#""\v""#, .syntax), (#""\0""#, .syntax), (#""\e""#, .syntax), (#""\'""#, .syntax),
            (#""\B""#, .syntax), (#""\U0041""#, .syntax), (#""\ ""#, .syntax), ("\"\\\n\"", .syntax),
            ("\"\\\u{0}\"", .syntax),
            ("\"\\é\"", .syntax), ("\"\\😀\"", .syntax), (#""\u""#, .syntax), (#""\u0""#, .syntax),
            (#""\u004""#, .syntax),
            (#""\u004"#, .unexpectedEnd), (#""\u004g""#, .syntax), (#""\u{41}""#, .syntax), (#""\u+041""#, .syntax),
            (#""\u-041""#, .syntax), (#""\u 041""#, .syntax), (#""\u0x41""#, .syntax), ("\"\\u00\u{FF14}1\"", .syntax),
            (#"\n"#, .syntax),
        ]),
        // Ordinary characters, although code that ends texts with a NUL mustn't see them.
        accepted: read([
            (#""\u0000""#, #""\u0000""#), (#""a\u0000b""#, #""a\u0000b""#),
            (#""\uFFFF\ufffe""#, "\"\u{FFFF}\u{FFFE}\""),
            (#""\uFEFF""#, "\"\u{FEFF}\""),
        ])
    )

    private static let surrogates = ConformanceCategory(
        name: "surrogates",
        valid: read([
            (#""\uD83D\uDE00""#, "\"😀\""), (#""\ud83d\ude00""#, "\"😀\""), (#""\uD800\uDC00""#, "\"\u{10000}\""),
            (#""\uDBFF\uDFFF""#, "\"\u{10FFFF}\""), (#""a\uD83D\uDE00b""#, "\"a😀b\""),
        ]),
        invalid: refused([
            (#""\uD83D\uDE0""#, .syntax), (#""\uD83D\u""#, .syntax), (#""\uD83D\"#, .invalidString),
            (#""\uD83D\x""#, .invalidString),
        ]),
        // The grammar allows halves of pairs; no string can hold them, and a substitute would change the text.
        refused: refused(
            .invalidString,
            [
                #""\uD800""#, #""\uDBFF""#, #""\uDC00""#, #""\uDFFF""#, #""a\uD83D""#, #""\uD83Da""#, #""\uD83D\n""#,
                #""\uD83D\u0041""#, #""\uD83D\uD83D""#, #""\uDE00\uD83D""#, #""\uD83D\uD83D\uDE00""#, #""\uD83D😀""#,
                #"{"\uD800":1}"#,
            ]
        )
    )

    private static let encoding = ConformanceCategory(
        name: "UTF-8",
        valid: same(["\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFD}\u{10000}\u{10FFFF}\""]),
        invalid: wrongUTF8.flatMap { wrong -> [Refused] in
            [(wrong, .invalidUTF8), (Array("\"".utf8) + wrong + Array("\"".utf8), .invalidUTF8)]
        }
    )

    private static let otherEncodings = ConformanceCategory(
        name: "other encodings",
        valid: same(["\"UTF-8\""]),
        // UTF-16 and UTF-32, of either order, with and without a byte order mark, and Latin-1.
        invalid: [
            ([0xFF, 0xFE, 0x31, 0x00], .invalidUTF8), ([0xFE, 0xFF, 0x00, 0x31], .invalidUTF8),
            ([0x00, 0x31], .syntax),
            ([0x31, 0x00], .syntax), ([0x00, 0x00, 0x00, 0x31], .syntax), ([0xFF, 0xFE, 0x00, 0x00], .invalidUTF8),
            ([0x22, 0x00, 0x22, 0x00], .invalidString), ([0x22, 0xE9, 0x22], .invalidUTF8),
        ]
    )

    /// Overlong forms, surrogates, code points beyond Unicode, truncated forms, and bytes that never occur in UTF-8.
    private static let wrongUTF8: [[UInt8]] = [
        [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xC0, 0xA2], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
        [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
        [0x80], [0xBF], [0xC3], [0xEF], [0xEF, 0xBB], [0xC3, 0x28], [0xE2, 0x82], [0xE2, 0x28, 0xA1],
        [0xF0, 0x9F, 0x98],
        [0xF0, 0x28, 0x8C, 0xBC],
        [0xFE], [0xFF],
    ]

    private static let byteOrderMarks = ConformanceCategory(
        name: "byte order marks",
        valid: same(["\"\u{FEFF}\""]),
        invalid: refused([
            ("\u{FEFF}", .unexpectedEnd), ("\u{FEFF}\u{FEFF}1", .syntax), ("1\u{FEFF}", .syntax),
            (" \u{FEFF}1", .syntax),
            ("[\u{FEFF}1]", .syntax), ("\u{FFFE}1", .syntax),
        ]),
        // A reader may skip one. None is ever written.
        accepted: read([("\u{FEFF}1", "1"), ("\u{FEFF} {}", "{}")])
    )

    private static let depth = ConformanceCategory(
        name: "depth",
        valid: same([nested(1), nested(2), nested(100)]),
        invalid: refused([
            (String(repeating: "[", count: 128), .unexpectedEnd), (nested(128) + "]", .syntax),
            (String(repeating: "[", count: 100) + String(repeating: "]", count: 99), .unexpectedEnd),
        ]),
        // Readers may limit the depth, which needs stack space.
        accepted: same([
            nested(127), nested(128),
            String(repeating: "{\"a\":", count: 127) + "[]" + String(repeating: "}", count: 127),
        ]),
        refused: refused([
            (nested(129), .limitExceeded), (nested(100_000), .limitExceeded),
            (String(repeating: "[", count: 100_000), .limitExceeded),
            (String(repeating: "{\"a\":", count: 100_000), .limitExceeded),
            (String(repeating: "[{\"a\":", count: 100_000), .limitExceeded),
        ])
    )

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func read(_ texts: [(String, String)]) -> [Accepted] { texts.map { (Array($0.0.utf8), $0.1) } }

    /// Texts that are written unchanged.
    private static func same(_ texts: [String]) -> [Accepted] { texts.map { (Array($0.utf8), $0) } }

    private static func refused(_ texts: [(String, JSONError.Code)]) -> [Refused] {
        texts.map { (Array($0.0.utf8), $0.1) }
    }

    private static func refused(_ code: JSONError.Code, _ texts: [String]) -> [Refused] {
        texts.map { (Array($0.utf8), code) }
    }
}
