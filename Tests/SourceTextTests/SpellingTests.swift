// SPDX-License-Identifier: Apache-2.0

// What counts as a slip of the fingers.

import SourceText
import Testing

@Suite("The nearest word")
struct SpellingTests {
    @Test(
        "a slip finds the word that was meant",
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

    @Test("what is too far, ambiguous or empty finds nothing", arguments: ["", "-", "--", "xyz", "c", "-x", "chaos"])
    func notFound(word: String) {
        #expect(Spelling.nearest(to: word, among: ["check", "convert", "--json", "--verbose", "-o"]) == nil)
    }

    @Test("a beginning that several share falls back to the nearest of them")
    func sharedBeginning() {
        #expect(Spelling.nearest(to: "xcdatamode", among: ["xcdatamodel", "xcdatamodeld"]) == "xcdatamodel")
    }
}
