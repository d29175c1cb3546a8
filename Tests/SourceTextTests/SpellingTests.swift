// SPDX-License-Identifier: Apache-2.0

// Suggestions for misspelt words.

import SourceText
import Testing

@Suite("Nearest words")
struct SpellingTests {
    @Test(
        "a misspelt word finds the intended one",
        arguments: [
            ("chekc", "check"), ("chck", "check"), ("checkk", "check"), ("cheek", "check"), ("CHECK", "check"),
            ("conv", "convert"), ("covnret", "convert"), ("--jsn", "--json"), ("--verb", "--verbose"), ("d", "diagram"),
        ]
    )
    func found(word: String, meant: String) {
        #expect(
            Spelling.nearest(to: word, among: ["check", "convert", "diagram", "--json", "--verbose", "-o"]) == meant
        )
    }

    @Test("a distant, ambiguous or empty word finds nothing", arguments: ["", "-", "--", "xyz", "c", "-x", "chaos"])
    func notFound(word: String) {
        #expect(Spelling.nearest(to: word, among: ["check", "convert", "--json", "--verbose", "-o"]) == nil)
    }

    @Test("an ambiguous prefix finds the nearest of the words")
    func sharedBeginning() {
        #expect(Spelling.nearest(to: "xcdatamode", among: ["xcdatamodel", "xcdatamodeld"]) == "xcdatamodel")
    }
}
