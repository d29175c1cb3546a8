// SPDX-License-Identifier: Apache-2.0

// Finds what somebody may have meant by a name that isn't there.

/// The name that differs least from a word, if it is near enough to be a slip.
func nearest(to word: String, in names: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().unicodeScalars.prefix(64))
    let limit = max(1, letters.count / 3)
    var best: (name: String, distance: Int)?
    for name in names {
        let distance = editDistance(letters, Array(name.lowercased().unicodeScalars.prefix(64)))
        if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
}

/// How many letters must be added, dropped or changed to make one word the other.
private func editDistance(_ word: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var row = Array(0...other.count)
    for (i, letter) in word.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, otherLetter) in other.enumerated() {
            let changed = diagonal + (letter == otherLetter ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
        }
    }
    return row[other.count]
}
