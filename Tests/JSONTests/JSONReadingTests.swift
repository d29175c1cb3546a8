// SPDX-License-Identifier: Apache-2.0
// The texts that the reader accepts, and their values.

import JSON
import SourceText
import Testing

@Suite struct JSONReadingTests {
    static let accepted: [(String, JSONValue)] = [
        ("null", nil), ("true", true), (" false\n", false), ("\u{FEFF}0", 0),
        ("-12", -12), ("1.5", 1.5), ("1E2", 100), ("1e-2", 0.01), ("1.25e+2", 125), ("-0", 0), ("0.0", 0),
        ("9223372036854775807", .integer(Int64.max)), ("-9223372036854775808", .integer(Int64.min)),
        ("\"\"", ""), ("\"ü😀\u{7F}\u{2028}\"", "ü😀\u{7F}\u{2028}"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00fC\u0000\uFFFF""#, "Aü\u{0}\u{FFFF}"),
        (#""x\uD83D\uDE00\udbff\udfff!""#, "x😀\u{10FFFF}!"),
        ("[]", []), ("[ ]", []), ("[1,\t[2] , {}]", [1, [2], [:]]),
        ("{}", [:]), ("{ }", [:]), (#"{"a":1 , "" : {"a":[null]}}"#, ["a": 1, "": ["a": [nil]]]),
    ]

    @Test("valid texts are read as their values", arguments: accepted)
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test("members keep their order and are found by name, few or many", arguments: [3, 16, 17, 300])
    func order(count: Int) throws {
        let names = (0..<count).map { "n\($0 * 7919 % 1000)" }
        let text = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
        let object = try #require(try JSONValue(parsing: text).object)
        #expect(object.names == names)
        #expect(names.allSatisfy { object[$0]?.string == $0 })
        #expect(object["absent"] == nil)
    }

    @Test("values and names have positions, which equality ignores")
    func positions() throws {
        let value = try JSONValue(parsing: "\r\n {\"ü\": [1,\r2],\n\t\"b\" : null}")
        #expect(value.position == TextPosition(line: 2, column: 2))
        #expect(value["ü"]?[0]?.position == TextPosition(line: 2, column: 9))
        #expect(value["ü"]?[1]?.position == TextPosition(line: 3, column: 1))
        #expect(value.object?.member("b")?.position == TextPosition(line: 4, column: 2))
        #expect(value["b"]?.position == TextPosition(line: 4, column: 8))
        let built: JSONValue = ["ü": [1, 2], "b": nil]
        #expect(value == built)
        #expect(value.hashValue == built.hashValue)
        #expect(built.position == nil)
    }

    @Test("comments are allowed wherever white space is, if enabled")
    func comments() throws {
        let text = "// a\n[/**/1/* , */,//\r2 /* // */ , \"/*\" ] // end"
        #expect(try JSONValue(parsing: text, allowingComments: true) == [1, 2, "/*"])
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test("accessors return only values of their own kind")
    func access() throws {
        let value: JSONValue = [nil, true, 2, 2.5, "s", ["x"], ["k": "v"]]
        #expect(value[0]?.isNull == true)
        #expect(value[1]?.bool == true)
        #expect(value[2]?.int64 == 2)
        #expect(value[3]?.int64 == nil)
        #expect(value[3]?.double == 2.5)
        #expect(value[4]?.string == "s")
        #expect(value[5]?.array == ["x"])
        #expect(value[6]?["k"] == "v")
        #expect(value[7] == nil)
        #expect(value[-1] == nil)
        #expect(value["k"] == nil)
        #expect(value[4]?.bool == nil && value[1]?.string == nil && value[1]?.isNull == false)
        #expect(
            value.array?.map(\.kindName) == [
                "null", "a boolean", "a number", "a number", "a string", "an array", "an object",
            ]
        )
    }

    @Test("setting a member replaces it in place, appends it, or removes it", arguments: [2, 40])
    func mutation(count: Int) {
        var object = JSONObject((0..<count).map { ("n\($0)", .integer($0)) })
        object["n1"] = "new"
        object["z"] = .null
        object["n0"] = nil
        object["absent"] = nil
        #expect(object.count == count)
        #expect(object.names.first == "n1" && object.names.last == "z")
        #expect(object["n1"] == "new")
        #expect(object["n0"] == nil)
        #expect(object["z"]?.isNull == true)
        #expect(object["n\(count - 1)"] != nil)
    }
}
