// SPDX-License-Identifier: Apache-2.0

import SourceText
import Testing

@Suite("Error texts within sentences")
struct SentenceTests {
    @Test(
        "a text ends in one full stop",
        arguments: [
            ("the disk is full", "the disk is full."), ("The disk is full.", "The disk is full."), ("", ""),
            ("Is it?", "Is it?"), ("“a.b”", "“a.b”."), ("byte 3: no length…", "byte 3: no length…"),
        ]
    )
    func fullStop(text: String, sentence: String) {
        #expect(text.asSentenceEnd == sentence)
    }

    @Test(
        "the article of a name depends on its first letter",
        arguments: [("Post", "a Post"), ("Author", "an Author"), ("User", "a User"), ("", "a ")]
    )
    func article(name: String, words: String) {
        #expect(name.withArticle == words)
    }
}
