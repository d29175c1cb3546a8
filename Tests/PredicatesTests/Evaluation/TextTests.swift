// SPDX-License-Identifier: Apache-2.0

import Foundation
import Predicates
import TestSupport
import Testing

@Suite("Text comparisons")
struct TextTests {
    @Test(
        "folding agrees with ICU for case, for diacritics and for both",
        arguments: [
            ("HeLLo", "hello", "HeLLo", "hello"),
            ("É", "é", "E", "e"),
            ("e\u{301}", "e\u{301}", "e", "e"),
            ("E\u{302}\u{301}x", "e\u{302}\u{301}x", "Ex", "ex"),
            ("ß", "ss", "ß", "ss"),
            ("ẞ", "ss", "ẞ", "ss"),
            ("İ", "i\u{307}", "I", "i"),
            ("ı", "ı", "ı", "ı"),
            ("Σς", "σσ", "Σς", "σσ"),
            ("ﬁ", "fi", "ﬁ", "fi"),
            ("Ø", "ø", "Ø", "ø"),
            ("Ł", "ł", "Ł", "ł"),
            ("Æ", "æ", "Æ", "æ"),
            ("ΐ", "\u{3B9}\u{308}\u{301}", "ι", "ι"),
            ("Ǆ", "ǆ", "Ǆ", "ǆ"),
            ("Й", "й", "И", "и"),
            ("が", "が", "が", "が"),
            ("\u{212B}", "å", "A", "a"),
            ("\u{212A}", "k", "\u{4B}", "k"),
            ("𐐀", "𐐨", "𐐀", "𐐨"),
            ("\u{301}", "\u{301}", "\u{301}", "\u{301}"),
            ("", "", "", ""),
            ("A\u{0}B", "a\u{0}b", "A\u{0}B", "a\u{0}b"),
        ]
    )
    func folds(text: String, lower: String, plain: String, both: String) {
        #expect(scalars(Text.folded(text, .caseInsensitive)) == scalars(lower))
        #expect(scalars(Text.folded(text, .diacriticInsensitive)) == scalars(plain))
        #expect(scalars(Text.folded(text, folding)) == scalars(both))
        #expect(scalars(Text.canonical(text)) == scalars(both))
        #expect(scalars(Text.folded(Text.folded(text, folding), folding)) == scalars(both))
    }

    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test("the fast folding of ASCII agrees with ICU")
    func ascii() {
        let all = String(String.UnicodeScalarView((0..<128).map { Unicode.Scalar(UInt8($0)) }))
        #expect(Text.folded(all, .caseInsensitive) == all.folding(options: .caseInsensitive, locale: nil))
        #expect(
            Text.folded(all, folding) == all.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        )
        #expect(Text.folded(all, .diacriticInsensitive) == all)
    }

    @Test("BEGINSWITH, ENDSWITH and CONTAINS compare code points")
    func searching() throws {
        #expect(try compare("hello", .beginsWith, "he"))
        #expect(try !compare("hello", .beginsWith, "hello!"))
        #expect(try compare("hello", .endsWith, "lo"))
        #expect(try !compare("hello", .endsWith, "he"))
        #expect(try compare("hello", .contains, "ell"))
        #expect(try !compare("hello", .contains, "ELL"))
        #expect(try compare("e\u{301}", .beginsWith, "e"))
        #expect(try compare("ell", .in, "hello"))
        #expect(try !compare("hello", .in, "ell"))
        for operation in [.beginsWith, .endsWith, .contains] as [Comparison.Operator] {
            #expect(try compare("hello", operation, ""))
            #expect(try compare("", operation, ""))
        }
    }

    @Test("searching folds before it compares, even if folding changes lengths")
    func foldedSearching() throws {
        #expect(try compare("Straße", .beginsWith, "STRASS", caseInsensitive))
        #expect(try compare("STRASSE", .contains, "ß", caseInsensitive))
        #expect(try compare("e\u{301}te\u{301}", .endsWith, "TÉ", folding))
        #expect(try compare("été", .contains, "t", diacriticInsensitive))
        #expect(try !compare("ÉTÉ", .contains, "ete", diacriticInsensitive))
        #expect(try compare("İstanbul", .beginsWith, "i", folding))
    }

    @Test("a long text is found at any position, and near misses are not")
    func longParts() throws {
        let part = "abcabcabcabcabcabcabd"
        #expect(try compare(.string("abcabc" + part + "x"), .contains, .string(part)))
        #expect(try compare(.string(String(repeating: "abc", count: 50) + "abd"), .contains, .string(part)))
        #expect(try !compare(.string(String(repeating: "abc", count: 50)), .contains, .string(part)))
        #expect(try compare(.string(part), .contains, .string(part)))
        let hostile = String(repeating: "a", count: 200_000)
        #expect(try !compare(.string(hostile), .contains, .string(hostile.dropLast(100_000) + "b")))
    }

    @Test("searching in data compares bytes")
    func data() throws {
        let data = Value.data(Data([1, 2, 3]))
        #expect(try compare(data, .beginsWith, .data(Data([1, 2]))))
        #expect(try compare(data, .endsWith, .data(Data([2, 3]))))
        #expect(try compare(data, .contains, .data(Data([2]))))
        #expect(try compare(data, .contains, .data(Data())))
        #expect(try compare(.data(Data([2])), .in, data))
        #expect(try !compare(data, .contains, .data(Data([1, 3]))))
        #expect(try !compare(data, .endsWith, .data(Data([0, 1, 2, 3]))))
        #expect(try !compare(data, .like, data))
        #expect(try compare(.data(Data([0, 1, 2, 3])[1...]), .beginsWith, .data(Data([1, 2]))))
    }

    @Test(
        "LIKE matches the whole text, with ? for one code point and * for any number",
        arguments: [
            ("hello", "hello", true), ("hello", "hell", false), ("hello", "h?llo", true), ("hello", "h*", true),
            ("hello", "*", true), ("", "*", true), ("", "", true), ("", "?", false), ("a", "", false),
            ("hello", "*l*o", true), ("hello", "*x*", false), ("hello", "h*l?", true), ("hello", "?????", true),
            ("hello", "??????", false), ("é", "?", true), ("e\u{301}", "?", false), ("e\u{301}", "??", true),
            ("👍", "?", true), ("日本語", "?本?", true), ("日本語", "*語", true), ("a\nb", "a?b", true),
            ("a*b", "a\\*b", true), ("axb", "a\\*b", false), ("a?b", "a\\?b", true), ("a\\b", "a\\\\b", true),
            ("ab", "a\\b", true), ("a\\", "a\\", true), ("aab", "*ab", true), ("ababac", "*abac", true),
            ("abc", "a**c", true), ("abc", "*?*", true), ("é", "*?", true), ("HELLO", "hello", false),
        ]
    )
    func like(text: String, pattern: String, matches: Bool) throws {
        #expect(try compare(.string(text), .like, .string(pattern)) == matches)
    }

    @Test("LIKE folds text and pattern, but not the wildcards")
    func foldedLike() throws {
        #expect(try compare("Straße", .like, "STRASS?", caseInsensitive))
        #expect(try compare("ß", .like, "??", caseInsensitive))
        #expect(try compare("Éclair", .like, "e*R", folding))
        #expect(try compare("a*\u{301}", .like, "A\\*", folding) == compare("a*\u{301}", .equal, "A*", folding))
    }

    @Test("LIKE agrees with a plain recursive matcher on random patterns", arguments: SeededGenerator.seeds(1))
    func likeProperty(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func word(_ letters: String, _ length: Int) -> String {
            String(
                (0..<Int.random(in: 0...length, using: &generator)).map { _ in letters.randomElement(using: &generator)!
                }
            )
        }
        func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(text, pattern.dropFirst()) || !text.isEmpty && matches(text.dropFirst(), pattern)
            }
            guard let letter = text.first, first == "?" || first == letter else { return false }
            return matches(text.dropFirst(), pattern.dropFirst())
        }
        for _ in 0..<3_000 {
            let (text, pattern) = (word("abé", 8), word("abé*?", 7))
            let expected = matches(Array(text)[...], Array(pattern)[...])
            #expect(try LikePattern(pattern).matches(text) == expected, "\(text) LIKE \(pattern), seed \(seed)")
        }
    }

    @Test("LIKE with many stars on long text finishes or is refused")
    func hostileLike() throws {
        let text = String(repeating: "a", count: 20_000)
        #expect(try !compare(.string(text), .like, .string(String(repeating: "*a", count: 50) + "*b")))
        #expect(try compare(.string(text), .like, .string(String(repeating: "*a", count: 2_000) + "*")))
        let pattern = "*" + String(repeating: "a", count: 10_000) + "b"
        #expect(errorCode { try compare(.string(text), .like, .string(pattern)) } == .patternTooExpensive)
    }

    @Test(
        "MATCHES matches the whole text",
        arguments: [
            ("ab", "a|ab", true), ("ab", "a", false), ("ab", "b", false), ("ab", "a.", true), ("a\n", "a", false),
            ("a\nb", "a.b", false), ("a\nb", "(?s)a.b", true), ("abc", "(?x) a b c # letters", true),
            ("a.b", "\\Qa.b", true), ("axb", "\\Qa.b", false), ("aa", "(a)\\1", true), ("", "", true), ("", "a*", true),
            ("日本", "\\p{Han}+", true), ("AB", "ab", false), ("a|b", "a\\|b", true), ("b\n", "a|b$", false),
            ("👍", ".", true),
        ]
    )
    func matches(text: String, pattern: String, matches: Bool) throws {
        #expect(try compare(.string(text), .matches, .string(pattern)) == matches)
    }

    @Test("MATCHES applies c as a flag and d by folding both sides")
    func foldedMatches() throws {
        #expect(try compare("HELLO", .matches, "h[a-f]llo", caseInsensitive))
        #expect(try compare("héllo", .matches, "h[a-f]llo", diacriticInsensitive))
        #expect(try compare("hello", .matches, "HÉLLO", folding))
    }

    @Test("an invalid regular expression is an error", arguments: ["(", "a)|(b", "[", "*", "a{2,1}", "(?<n>", "\\"])
    func invalidExpressions(pattern: String) {
        #expect(errorCode { try compare("a", .matches, .string(pattern)) } == .invalidRegularExpression)
    }

    @Test("a regular expression that backtracks too much or needs too much memory is stopped")
    func hostileExpressions() {
        let text = Value.string(String(repeating: "a", count: 60) + "b")
        #expect(errorCode { try compare(text, .matches, "(a+)+$") } == .patternTooExpensive)
        #expect(errorCode { try compare(text, .matches, "(a|aa)+") } == .patternTooExpensive)
        let long = Value.string(String(repeating: "ab", count: 5_000_000))
        #expect(errorCode { try compare(long, .matches, "(a|b)*") } == .patternTooExpensive)
        let tooLong = Value.string(String(repeating: "a", count: 20_000))
        #expect(errorCode { try compare("a", .matches, tooLong) } == .invalidRegularExpression)
    }

    @Test("a plain regular expression works on long text")
    func longText() throws {
        let text = Value.string(String(repeating: "ab", count: 1_000_000))
        #expect(try compare(text, .matches, ".*b"))
        #expect(try !compare(text, .matches, ".*x.*"))
    }
}
