// SPDX-License-Identifier: Apache-2.0

import SourceText
import Testing

@Suite("Printable text")
struct PrintableTests {
    @Test(
        "control characters that could affect a terminal are escaped",
        arguments: [
            ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{9B}b", "a\\u{9b}b"), ("\r\n", "\\u{d}\\u{a}"), ("\t", "\\u{9}"),
            ("\u{202E}x", "\\u{202e}x"), ("\u{2028}", "\\u{2028}"), ("\u{7F}\u{0}", "\\u{7f}\\u{0}"),
            ("\u{FEFF}a", "\\u{feff}a"),
        ]
    )
    func tricks(text: String, shown: String) {
        #expect(text.printable() == shown)
    }

    @Test("other characters are left unchanged", arguments: ["", "Größe", "日本", "👩‍👩‍👧", "e\u{301}", "می‌خواهم"])
    func plain(text: String) {
        #expect(text.printable() == text)
    }

    @Test("line breaks are kept on request")
    func lineBreaks() {
        #expect("a\nb\u{1B}\r\n".printable(keepingLineBreaks: true) == "a\nb\\u{1b}\\u{d}\n")
    }
}
