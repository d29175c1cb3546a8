// SPDX-License-Identifier: Apache-2.0

// Guesses at what a mistyped word was meant to be.

/// Finds the word that was meant by a mistyped one.
public enum Spelling {
    /// The nearest of some words, unless none is near. Case doesn't count; a swap of two neighbours counts once.
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().prefix(64))
        let bound = max(1, word.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where abs(candidate.count - word.count) <= bound {
            let distance = distance(word, Array(candidate.lowercased()))
            if distance <= bound, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// The sentence that offers the nearest word.
    public static func hint(for word: String, among candidates: some Sequence<String>) -> String? {
        nearest(to: word, among: candidates).map { "Did you mean \($0)?" }
    }

    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[other.count]
    }
}
