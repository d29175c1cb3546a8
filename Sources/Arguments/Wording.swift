// SPDX-License-Identifier: Apache-2.0

import SourceText

func oneOf(_ words: [String]) -> String {
    list(words, "or")
}

func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}

/// The word in quotes, truncated, with unsafe characters escaped.
func quoted(_ word: String) -> String {
    let limit = 80
    let scalars = word.unicodeScalars
    let text = String(String.UnicodeScalarView(scalars.prefix(limit))).printable()
    return scalars.dropFirst(limit).isEmpty ? "“\(text)”" : "“\(text)…”"
}
