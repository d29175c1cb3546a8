// SPDX-License-Identifier: Apache-2.0

// Suggestions for misspelled words.

public enum Spelling {
    /// The word that was probably meant: the only candidate with this prefix, otherwise the one with the fewest typing
    /// errors, if they are few for its length. Case is ignored.
    ///
    ///     Spelling.nearest(to: "chekc", among: ["check", "show"])  // "check"
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().unicodeScalars.prefix(longest))
        let isBeginning = letters.contains { $0.properties.isAlphabetic }
        var begun: [String] = []
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(longest))
            if isBeginning, other.starts(with: letters) { begun.append(candidate) }
            let limit = max(1, min(letters.count, other.count) / 3)
            guard abs(letters.count - other.count) <= limit else { continue }
            let distance = typingErrors(from: letters, to: other)
            let kept = max(letters.count, other.count) - distance
            if distance <= limit, kept > 1, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return begun.count == 1 ? begun[0] : best?.candidate
    }

    /// A sentence that suggests the nearest word.
    public static func hint(for word: String, among candidates: some Sequence<String>) -> String? {
        nearest(to: word, among: candidates).map { "Did you mean “\($0)”?" }
    }

    /// Limits the cost, which grows with the product of the lengths.
    private static let longest = 64

    /// The optimal string alignment distance: the number of insertions, deletions, substitutions and swaps of
    /// neighbours.
    private static func typingErrors(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
