// SPDX-License-Identifier: Apache-2.0

// Phrases shared by several commands.

enum Wording {
    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `1 entity`, `2 entities`.
    static func count(_ count: Int, _ noun: String) -> String {
        guard count != 1 else { return "1 \(noun)" }
        return "\(count) " + (noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s")
    }
}
