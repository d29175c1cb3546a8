// SPDX-License-Identifier: Apache-2.0
// The writer's text, and that it is read back as the same value.

import JSON
import Testing

@Suite struct JSONWritingTests {
    static let value: JSONValue = [
        "name": "Color", "empty": [], "none": [:], "short": [1, "two", nil, true],
        "nested": [["a": 1.5], [], [2, 3]],
    ]

    @Test("compact text has no white space")
    func compact() {
        #expect(
            Self.value.serialized()
                == #"{"name":"Color","empty":[],"none":{},"short":[1,"two",null,true],"nested":[{"a":1.5},[],[2,3]]}"#
        )
    }

    @Test("pretty text has a member on each line, and short arrays on one line")
    func pretty() {
        #expect(
            Self.value.serialized(.pretty) == """
                {
                  "name": "Color",
                  "empty": [],
                  "none": {},
                  "short": [1, "two", null, true],
                  "nested": [
                    {
                      "a": 1.5
                    },
                    [],
                    [2, 3]
                  ]
                }
                """
        )
    }

    @Test("an array that exceeds the width, including its comma, has a line for each value")
    func width() {
        var format = JSONFormat(indentation: 4, width: 12, endsWithNewline: true)
        let value: JSONValue = ["a": [1, 2]]
        #expect(value.serialized(format) == "{\n    \"a\": [\n        1,\n        2\n    ]\n}\n")
        format.width = 16
        #expect(value.serialized(format) == "{\n    \"a\": [1, 2]\n}\n")
        format.width = 15
        #expect(value.serialized(format) == "{\n    \"a\": [\n        1,\n        2\n    ]\n}\n")
    }

    @Test("objects below the open levels are on one line if they are flat and fit")
    func openLevels() {
        let value: JSONValue = [
            "a": ["type": "Int64", "range": [1, 2], "none": [:]], "b": ["c": ["d": 1]],
            "e": ["long": "0123456789012345"],
        ]
        #expect(
            value.serialized(JSONFormat(indentation: 2, width: 32, openLevels: 1)) == """
                {
                  "a": {
                    "type": "Int64",
                    "range": [1, 2],
                    "none": {}
                  },
                  "b": {
                    "c": {"d": 1}
                  },
                  "e": {
                    "long": "0123456789012345"
                  }
                }
                """
        )
        #expect(
            JSONValue.object(["a": ["type": "Int64", "range": [1, 2]]])
                .serialized(JSONFormat(indentation: 2, openLevels: 1)) == """
                    {
                      "a": {"type": "Int64", "range": [1, 2]}
                    }
                    """
        )
    }

    @Test("strings are escaped only as JSON requires")
    func escapes() {
        let text: JSONValue = "\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}ü\u{2028}😀"
        #expect(text.serialized() == #""\"\\/\b\t\n\f\r\u0000\u001f"# + "\u{7F}ü\u{2028}😀\"")
    }

    @Test("of members with the same name, the last value counts, in the position of the first")
    func duplicates() {
        let value: JSONValue = ["a": 1, "b": 2, "a": 3]
        #expect(value.serialized() == #"{"a":3,"b":2}"#)
    }

    @Test("random values are read back from their text in every format", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var values = RandomJSONValues(seed: seed)
        let value = values.value(depth: 5)
        for format in [JSONFormat.compact, .pretty, JSONFormat(indentation: 0, width: 20, openLevels: 1)] {
            let text = value.serialized(format)
            let read = try JSONValue(parsing: text)
            #expect(read == value, "seed \(seed)")
            #expect(read.serialized(format) == text, "seed \(seed)")
        }
    }

    @Test("a buffer escapes every character at every place of a text, and no others")
    func bufferEscapes() throws {
        for character in (0..<0x80).map({ Unicode.Scalar(UInt8($0)) }) + ["é", "\u{1F30B}", "\u{FFFF}"] {
            for count in 0..<20 {
                for filling in ["a", " ", "!", "\u{7F}", "ÿ"] {
                    let text = String(repeating: filling, count: count) + String(character) + filling
                    var buffer = JSONBuffer()
                    buffer.write(string: text)
                    let written = String(decoding: buffer.bytes, as: UTF8.self)
                    #expect(try JSONValue(parsing: written) == .string(text), "\(written)")
                    let isEscaped = character.value < 0x20 || character == "\"" || character == "\\"
                    #expect(written.contains("\\") == isEscaped, "\(written)")
                }
            }
        }
    }

    @Test("a buffer writes integers of any length", arguments: [0, 7, -7, 10, -1_000, Int64.max, .min])
    func bufferIntegers(number: Int64) {
        var buffer = JSONBuffer()
        buffer.write(number)
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "\(number)")
    }
}
