// SPDX-License-Identifier: Apache-2.0

// Hostile formats: each ends in an error or a tree within the limits.

import Predicates
import TestSupport
import Testing

@Suite("Hostile format strings")
struct HostileFormatTests {
    @Test(
        "excessive nesting of any kind is refused",
        arguments: [
            String(repeating: "(", count: 60_000),
            String(repeating: "NOT ", count: 16_000) + "a == 1",
            String(repeating: "!", count: 60_000),
            "a == " + String(repeating: "-", count: 60_000) + "1",
            "a == " + String(repeating: "{", count: 60_000),
            "a == " + String(repeating: "abs:(", count: 12_000),
            "a == " + Array(repeating: "1", count: 4_000).joined(separator: "+"),
            "a == " + Array(repeating: "1", count: 4_000).joined(separator: "**"),
            "a == b" + String(repeating: "[0]", count: 4_000),
            "a == b" + String(repeating: "[b", count: 4_000),
            String(repeating: "SUBQUERY(a, $x, ", count: 4_000),
            String(repeating: "TERNARY(", count: 8_000),
            String(repeating: "(1 == 1 AND ", count: 4_000),
            String(repeating: "ANY ", count: 10_000),
            Array(repeating: "(", count: 90).joined() + Array(repeating: "a", count: 90).joined(separator: " + ")
                + Array(repeating: " + 1)", count: 90).joined() + " == 1",
        ].map(LongText.init)
    )
    func nesting(format: LongText) {
        let error = #expect(throws: FormatError.self) { try ObjectPredicate(template: format.text) }
        #expect(error?.code == .limit || error?.code == .unexpected)
    }

    @Test("the length and number of terms are limited")
    func size() {
        let long = "a == '" + String(repeating: "x", count: 70_000) + "'"
        #expect(throws: FormatError.self) { try ObjectPredicate(long) }
        let wide = Array(repeating: "a == 1", count: 4_000).joined(separator: " OR ")
        let error = #expect(throws: FormatError.self) { try ObjectPredicate(wide) }
        #expect(error?.code == .limit)
        let list = "a IN {" + Array(repeating: "1", count: 4_000).joined(separator: ",") + "}"
        #expect(throws: Never.self) { try ObjectPredicate(list) }
        let path = Array(repeating: "a", count: 6_000).joined(separator: ".") + " == 1"
        #expect(throws: FormatError.self) { try ObjectPredicate(path) }
    }

    @Test("arguments may be long, but not nested too deeply")
    func argumentDepth() throws {
        func nested(_ levels: Int) -> Value { (0..<levels).reduce(.integer(1)) { value, _ in .array([value]) } }
        #expect(throws: Never.self) { try ObjectPredicate("a == %@", arguments: [nested(100)]) }
        let error = #expect(throws: FormatError.self) { try ObjectPredicate("a == %@", arguments: [nested(101)]) }
        #expect(error?.code == .limit)
        #expect(error?.offset == 5)
        let template = try ObjectPredicate(template: "a == %@")
        #expect(throws: FormatError.self) { try template.substituting(arguments: [.dictionary(["k": nested(100)])]) }
        #expect(throws: Never.self) {
            try template.substituting(arguments: [.array(Array(repeating: 1, count: 50_000))])
        }
    }

    @Test("an accepted predicate is within the depth limit and can be written and read again")
    func depthHolds() throws {
        let parentheses = String(repeating: "(", count: 97) + "a == 1" + String(repeating: ")", count: 97)
        #expect(try ObjectPredicate(parentheses).description == "a == 1")
        let sums = "a == " + Array(repeating: "b", count: 95).joined(separator: " + ")
        #expect(try ObjectPredicate(sums).description == sums)
    }

    @Test("truncated or changed formats never crash the parser", arguments: SeededGenerator.seeds(1))
    func mutations(seed: UInt64) {
        let format =
            "ANY tags[FIRST].name BEGINSWITH[cd] 'é\\u00e9' AND NOT (SUBQUERY(posts, $p, $p.views > -1.5e3).@count >= "
            + "%d OR %K IN {1, nil, CAST(\"x\", \"NSURL\")}) || modulus:by:(a, 2) == TERNARY(TRUEPREDICATE, $x, now())"
        #expect(throws: Never.self) { try ObjectPredicate(template: format) }
        let bytes = Array(format.utf8)
        var generator = SeededGenerator(seed: seed)
        for cut in bytes.indices {
            _ = try? ObjectPredicate(template: String(decoding: bytes[..<cut], as: UTF8.self))
            for _ in 0..<20 {
                var changed = bytes
                changed[cut] = UInt8.random(in: 0...255, using: &generator)
                changed.swapAt(cut, Int.random(in: bytes.indices, using: &generator))
                _ = try? ObjectPredicate(template: String(decoding: changed, as: UTF8.self))
            }
        }
    }
}
