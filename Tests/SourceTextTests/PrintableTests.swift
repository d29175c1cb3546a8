// SPDX-License-Identifier: Apache-2.0

import SourceText
import Testing

@Suite("Text from elsewhere as it is shown")
struct PrintableTests {
    @Test(
        "has no characters that play tricks with a terminal",
        arguments: [
            ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{9B}b", "a\\u{9b}b"), ("\r\n", "\\u{d}\\u{a}"), ("\t", "\\u{9}"),
            ("\u{202E}x", "\\u{202e}x"), ("\u{2028}", "\\u{2028}"), ("\u{7F}\u{0}", "\\u{7f}\\u{0}"),
            ("\u{FEFF}a", "\\u{feff}a"),
        ]
    )
    func tricks(text: String, shown: String) {
        #expect(text.printable() == shown)
    }

    @Test("is left as it is otherwise", arguments: ["", "Größe", "日本", "👩‍👩‍👧", "e\u{301}", "می‌خواهم"])
    func plain(text: String) {
        #expect(text.printable() == text)
    }

    @Test("has its line breaks where these are wanted")
    func lineBreaks() {
        #expect("a\nb\u{1B}\r\n".printable(keepingLineBreaks: true) == "a\nb\\u{1b}\\u{d}\n")
    }
}
