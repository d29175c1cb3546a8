// SPDX-License-Identifier: Apache-2.0

// The canonical text: its form, and that it parses back to its predicate.

import Predicates
import TestSupport
import Testing

@Suite("Canonical text")
struct CanonicalTextTests {
    @Test(
        "synonyms, case and redundant parentheses have one canonical form",
        arguments: [
            ("a = 1", "a == 1"),
            ("a <> 1", "a != 1"),
            ("a => 1 && b =< 2", "a >= 1 AND b <= 2"),
            ("(a == 1) || (b == 2)", "a == 1 OR b == 2"),
            ("!a == 1", "NOT a == 1"),
            ("not (a == 1 and b == 2)", "NOT (a == 1 AND b == 2)"),
            ("a == 1 and (b == 2 or c == 3)", "a == 1 AND (b == 2 OR c == 3)"),
            ("a == 1 or b == 2 and c == 3", "a == 1 OR b == 2 AND c == 3"),
            ("(a == 1 and b == 2) and c == 3", "(a == 1 AND b == 2) AND c == 3"),
            ("name beginsWith[CD] 'x'", "name BEGINSWITH[cd] \"x\""),
            ("some tags.name == 'x'", "ANY tags.name == \"x\""),
            ("NONE tags.name == 'x'", "NOT ANY tags.name == \"x\""),
            ("name NOT IN {'a', 'b'}", "NOT name IN {\"a\", \"b\"}"),
            ("a + b NOT IN c", "NOT a + b IN c"),
            ("a == 1 AND b + 1 NOT IN c AND d == 2", "a == 1 AND NOT b + 1 IN c AND d == 2"),
            ("NONE x NOT IN y", "ANY x IN y"),
            ("SELF.name == nil", "name == nil"),
            ("self.@count > 0", "@count > 0"),
            ("a == true && b == No && c == NULL", "a == YES AND b == NO AND c == nil"),
            ("#in == 1 AND a.in == 2 AND #'two words' == 3", "#in == 1 AND a.#in == 2 AND #\"two words\" == 3"),
            ("size == 2", "#size == 2"),
            ("((a + b)) * c > -1", "(a + b) * c > -1"),
            ("a - (b - c) == a - b - c", "a - (b - c) == a - b - c"),
            ("2 ** 3 ** 2 == (2 ** 3) ** 2", "2 ** 3 ** 2 == (2 ** 3) ** 2"),
            ("a & 1 | 2 ^ 3 << 1 + 2 == 0", "a & 1 | 2 ^ 3 << 1 + 2 == 0"),
            ("a %% 2 == -(1) + -a + ~b", "a %% 2 == -(1) + -a + ~b"),
            ("multiply:by:(5, 3) = 15", "5 * 3 == 15"),
            ("sum({1, 2}) == now()", "sum:({1, 2}) == now()"),
            ("uppercase(name) == random() + random:(5)", "uppercase:(name) == random() + randomn:(5)"),
            (
                "tags[first] == tags[0] AND tags[#first] == x[SIZE]",
                "tags[FIRST] == tags[0] AND tags[#first] == x[SIZE]"
            ),
            ("A IN B minus C", "A IN B MINUS C"),
            ("0x1F == 0o17 + 0b101", "31 == 15 + 5"),
            ("a == 1.50e2", "a == 150.0"),
            (
                "a == 9223372036854775807 OR a == -9223372036854775808",
                "a == 9223372036854775807 OR a == -9223372036854775808"
            ),
            ("a == 9223372036854775808", "a == CAST(\"9223372036854775808\", \"NSDecimalNumber\")"),
            ("a == 'it\\'s \\x41\\101\\u00e9\\ud83d\\ude00\\n'", "a == \"it's AAé😀\\n\""),
            ("a MATCHES '.*\\.txt'", "a MATCHES \".*\\\\.txt\""),
            (
                "SUBQUERY(a.b, $x, $x.c == 1 OR $x.d == $Y).@count > 0",
                "SUBQUERY(a.b, $x, $x.c == 1 OR $x.d == $Y).@count > 0"
            ),
            ("TERNARY(a == 1, 'x', b) == 'x'", "TERNARY(a == 1, \"x\", b) == \"x\""),
            ("d > CAST('2001-01-01T00:00:01Z', 'NSDate')", "d > CAST(1.0, \"NSDate\")"),
            (
                "d > CAST(a, 'NSDate') AND CAST((1), 'NSDate') == nil",
                "d > CAST(a, \"NSDate\") AND CAST((1), \"NSDate\") == nil"
            ),
            ("a == CAST({'k', 1}, 'NSDictionary')", "a == CAST({\"k\", 1}, \"NSDictionary\")"),
            ("%K.name == %@ AND %d > %2$@ AND a == %ld", "%K.name == %@ AND %d > %2$@ AND a == %d"),
            ("a == %lud AND b IN {%ud, %2$lud}", "a == %d AND b IN {%d, %2$d}"),
            ("kind == cast AND cast.function == 2", "kind == #cast AND #cast.#function == 2"),
            ("TRUEPREDICATE && FALSEPREDICATE", "TRUEPREDICATE AND FALSEPREDICATE"),
            ("a\u{A0}==\u{A0}1", "a == 1"),
        ]
    )
    func canonical(format: String, text: String) throws {
        let predicate = try ObjectPredicate(template: format)
        #expect(predicate.description == text)
        #expect(try ObjectPredicate(template: text) == predicate)
    }

    @Test("random predicates and expressions parse back from their text", arguments: SeededGenerator.seeds(1))
    func roundTrip(seed: UInt64) throws {
        for offset in 0..<3_000 {
            var random = RandomFormat(seed: seed &+ UInt64(offset))
            let predicate = random.predicate()
            #expect(
                try ObjectPredicate(template: predicate.description) == predicate,
                "seed \(seed) + \(offset): \(predicate)"
            )
            let expression = random.expression()
            #expect(
                try ObjectExpression(template: expression.description) == expression,
                "seed \(seed) + \(offset): \(expression)"
            )
        }
    }

    @Test("joining no predicates or one gives its logical value")
    func degenerateJoins() {
        #expect(ObjectPredicate.all(of: []) == .constant(true))
        #expect(ObjectPredicate.any(of: []) == .constant(false))
        #expect(ObjectPredicate.any(of: [.constant(true)]) == .constant(true))
        #expect(ObjectPredicate.and([]).description == "TRUEPREDICATE")
        #expect(ObjectPredicate.or([]).description == "FALSEPREDICATE")
        #expect(ObjectPredicate.not(.or([.constant(true)])).description == "NOT TRUEPREDICATE")
    }
}
