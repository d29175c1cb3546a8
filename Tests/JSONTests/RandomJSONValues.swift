// SPDX-License-Identifier: Apache-2.0
// Makes JSON values of every kind from a seed.

import JSON
import TestSupport

struct RandomJSONValues: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .integer(Int64(truncatingIfNeeded: next()))
        case 3: return .double(Double(bitPattern: next())) ?? 0.5
        case 4, 5: return .string(text())
        case 6, 7: return .array((0..<count(upTo: 6)).map { _ in value(depth: depth - 1) })
        default: return .object(JSONObject((0..<count(upTo: 24)).map { _ in (text(), value(depth: depth - 2)) }))
        }
    }

    private mutating func count(upTo most: Int) -> Int {
        Int.random(in: 0...most, using: &self)
    }

    private mutating func text() -> String {
        let characters: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\r", "\u{0}", "\u{1F}", "ü", "\u{2028}", "€", "😀",
        ]
        var text = ""
        for _ in 0..<count(upTo: 8) {
            text.unicodeScalars.append(characters[Int.random(in: 0..<characters.count, using: &self)])
        }
        return text
    }
}
