// SPDX-License-Identifier: Apache-2.0

// Clues about values in the name of a property.

struct NameHint: Sendable {
    /// The words of the name: `publishedAt` has `published` and `at`.
    let words: [String]
    /// The words of the entity's name.
    let owner: [String]

    init(_ name: String, of owner: String) {
        words = Self.words(of: name)
        self.owner = Self.words(of: owner)
    }

    private init(words: [String], owner: [String]) {
        self.words = words
        self.owner = owner
    }

    /// The hint for an element of a composite, with the composite as its owner.
    func inner(_ name: String) -> NameHint { NameHint(words: Self.words(of: name), owner: words) }

    func has(_ candidates: String...) -> Bool { candidates.contains { words.contains($0) } }

    /// Whether the last word, usually the head noun, is one of these.
    func ends(_ candidates: String...) -> Bool { words.last.map { candidates.contains($0) } ?? false }

    func belongs(to candidates: String...) -> Bool { candidates.contains { owner.contains($0) } }

    /// The percentage of optional values that are nil.
    var emptiness: Int { has("deleted", "archived", "cancelled", "canceled", "revoked", "banned") ? 92 : 15 }

    /// The percentage of values that are true.
    var likelihoodOfTrue: Int {
        if has("spam", "deleted", "archived", "hidden", "banned", "blocked", "locked", "admin", "draft", "cancelled") {
            return 5
        }
        return has("published", "active", "enabled", "open", "visible", "available", "public", "confirmed") ? 80 : 40
    }

    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var wasLower = false
        for scalar in name.unicodeScalars {
            guard scalar.properties.isAlphabetic else {
                wasLower = false
                if words.last?.isEmpty != true { words.append("") }
                continue
            }
            let isUpper = scalar.properties.isUppercase
            if words.isEmpty || isUpper && wasLower { words.append("") }
            words[words.count - 1] += String(scalar).lowercased()
            wasLower = !isUpper
        }
        return words.filter { !$0.isEmpty }
    }
}
