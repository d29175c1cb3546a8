// SPDX-License-Identifier: Apache-2.0
// Values that are read while their text arrives.

import JSON
import SourceText
import TestSupport
import Testing

@Suite struct JSONStreamTests {
    /// All values of a text that arrives in pieces of a size.
    private static func read(
        _ text: some Sequence<UInt8>,
        _ layout: JSONStreamReader.Layout,
        piece: Int,
        limits: JSONLimits = .default
    ) throws -> [JSONValue] {
        let bytes = Array(text)
        var offset = 0
        var reader = JSONStreamReader(layout, limits: limits) {
            guard offset < bytes.count else { return nil }
            defer { offset += piece }
            return Array(bytes[offset..<min(offset + piece, bytes.count)])
        }
        var values: [JSONValue] = []
        while let value = try reader.next() { values.append(value) }
        return values
    }

    @Test("an array's elements are read one by one, however the text is split", arguments: SeededGenerator.seeds(10))
    func elements(seed: UInt64) throws {
        var random = RandomJSONValues(seed: seed)
        let values = (0..<Int.random(in: 0...20, using: &random)).map { _ in random.value(depth: 3) }
        for format in [JSONFormat.compact, .pretty] {
            let text = JSONValue.array(values).serializedBytes(format)
            for piece in [1, 2, 7, 64, 100_000] {
                #expect(try Self.read(text, .array, piece: piece) == values)
            }
        }
    }

    @Test("lines are read one by one, however the text is split", arguments: SeededGenerator.seeds(10))
    func lines(seed: UInt64) throws {
        var random = RandomJSONValues(seed: seed)
        let values = (0..<Int.random(in: 0...20, using: &random)).map { _ in random.value(depth: 3) }
        for end in ["\n", "\r\n", "\n\n \t\n"] {
            let text = values.map { $0.serialized() }.joined(separator: end) + (Bool.random(using: &random) ? end : "")
            for piece in [1, 2, 7, 64, 100_000] {
                #expect(try Self.read(text.utf8, .lines, piece: piece) == values)
            }
        }
    }

    static let refused: [(layout: JSONStreamReader.Layout, text: String, description: String)] = [
        (.array, "", "1:1: Expected an array, which begins with [, found the end of the text."),
        (.array, " {}", "1:2: Expected an array, which begins with [, found “{”."),
        (.array, "[", "1:2: Expected a value, found the end of the text."),
        (.array, "[1", "1:3: Expected a comma, or ] to close the array, found the end of the text."),
        (.array, "[1 2]", "1:4: Expected a comma, or ] to close the array, found “2”."),
        (.array, "[1,\r\n]", "2:1: Expected a value after the comma, found “]” (JSON has no trailing commas)."),
        (.array, "[,]", "1:2: Expected a value, found “,”."),
        (.array, "[1]\n2", "2:1: Expected the end of the text after the array, found “2”."),
        (.array, "[1, // a\n2]", "1:5: Expected a value, found “/” (JSON has no comments)."),
        (
            .array, "[{\"a\":1},\n {\"a\":1]}]",
            "2:8: Expected a comma, or } to close the object opened at 2:2, found “]”."
        ),
        (.array, "[[1,\n2,]]", "2:3: Expected a value after the comma, found “]” (JSON has no trailing commas)."),
        (.array, "[\"ü\", tru]", "1:7: Expected a value, found “t” (text is in double quotes)."),
        (
            .array, "[\"a\\\"]",
            "1:7: Expected a closing quotation mark for the string opened at 1:2, found the end of the text."
        ),
        (.array, "[1 é]", "1:4: Expected a comma, or ] to close the array, found “é”."),
        (.array, "[1] 😀", "1:5: Expected the end of the text after the array, found “😀”."),
        (.array, "/* a */ []", "1:1: Expected an array, which begins with [, found “/” (JSON has no comments)."),
        (.lines, "1 2", "1:3: Expected the end of the text after the value, found “2”."),
        (.lines, "{}\n{\"a\":\n1}", "2:6: Expected a value for \"a\", found the end of the text."),
        (.lines, "1\r\n\r\n\"ü\" x", "3:5: Expected the end of the text after the value, found “x”."),
    ]

    @Test("invalid texts are refused with their position in the whole text", arguments: refused)
    func refuses(sample: (layout: JSONStreamReader.Layout, text: String, description: String)) throws {
        for piece in [1, 3, 1000] {
            let error = try #require(throws: JSONError.self) {
                try Self.read(sample.text.utf8, sample.layout, piece: piece)
            }
            #expect(error.description == sample.description)
        }
    }

    @Test("a byte order mark is skipped at the beginning and nowhere else")
    func byteOrderMark() throws {
        for piece in [1, 100] {
            #expect(try Self.read("\u{FEFF}[1]".utf8, .array, piece: piece) == [1])
            #expect(try Self.read("\u{FEFF}1\n2".utf8, .lines, piece: piece) == [1, 2])
            #expect(throws: JSONError.self) { try Self.read("1\n\u{FEFF}2".utf8, .lines, piece: piece) }
        }
    }

    @Test("bytes that aren't UTF-8 are refused")
    func invalidUTF8() throws {
        let error = try #require(throws: JSONError.self) {
            try Self.read(Array("[\n\"ü".utf8) + [0xFF] + Array("\"]".utf8), .array, piece: 2)
        }
        #expect(error.code == .invalidUTF8)
        #expect(error.position == TextPosition(line: 2, column: 3))
    }

    @Test("a value beyond the limit is refused before it is complete, while the text can have any length")
    func limits() throws {
        let limits = JSONLimits(bytes: 10)
        let values = try Self.read(
            "[\(Array(repeating: "\"12345678\"", count: 100).joined(separator: " , "))]".utf8,
            .array,
            piece: 4,
            limits: limits
        )
        #expect(values.count == 100)
        for (layout, opening) in [(JSONStreamReader.Layout.array, "[{\""), (.array, "[1"), (.lines, "\"")] {
            var pieces = 0
            var reader = JSONStreamReader(layout, limits: limits) {
                pieces += 1
                return Array((pieces == 1 ? opening : "1111").utf8)
            }
            let error = try #require(throws: JSONError.self) { try reader.next() }
            #expect(error.code == .limitExceeded)
            #expect(pieces < 10)
        }
    }

    @Test("each value of a stream has its position")
    func places() throws {
        var text: [UInt8]? = Array("[1,\n  {\"a\":\n2},\r\n\r\n 3]".utf8)
        var reader = JSONStreamReader(.array) {
            defer { text = nil }
            return text
        }
        var places: [String] = []
        while let value = try reader.next() {
            #expect(value.position == reader.start)
            places.append(reader.start.description)
        }
        #expect(places == ["1:2", "2:3", "5:2"])
    }

    @Test("an error of the byte source is forwarded")
    func brokenSource() throws {
        struct Broken: Error {}
        var reader = JSONStreamReader(.array) { throw Broken() }
        #expect(throws: Broken.self) { try reader.next() }
    }
}
