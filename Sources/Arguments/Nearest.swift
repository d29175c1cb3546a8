// SPDX-License-Identifier: Apache-2.0
// What was probably meant by a mistyped word.

/// The candidate that `word` is most likely a slip of: the only one it begins, else the one with the fewest typing
/// errors between them, if those are few for the length.
///
///     nearest(to: "chekc", in: ["check", "show"])  // "check"
public func nearest(to word: String, in candidates: [String]) -> String? {
    let typed = word.lowercased()
    let begun = candidates.filter { $0.lowercased().hasPrefix(typed) }
    if begun.count == 1, typed.contains(where: \.isLetter) { return begun[0] }

    let letters = Array(typed.unicodeScalars)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
        let other = Array(candidate.lowercased().unicodeScalars)
        let limit = max(1, min(letters.count, other.count) / 3)
        // Also keeps a very long word from costing more than its length.
        guard abs(letters.count - other.count) <= limit, min(letters.count, other.count) > 2 else { continue }
        let distance = typingErrors(from: letters, to: other)
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
}

/// The Damerau–Levenshtein distance in which no part is edited twice: letters added, dropped, changed, or swapped with
/// their neighbour.
private func typingErrors(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
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
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
