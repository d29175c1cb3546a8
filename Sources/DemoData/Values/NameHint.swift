// SPDX-License-Identifier: Apache-2.0

// What a property's name says of its values.

struct NameHint: Sendable {
    /// `publishedAt` is `published` and `at`.
    let words: [String]
    /// The words of the entity's name.
    let owner: [String]

    init(_ name: String, of owner: String) {
        (words, self.owner) = (Self.words(of: name), Self.words(of: owner))
    }

    private init(words: [String], owner: [String]) {
        (self.words, self.owner) = (words, owner)
    }

    /// The hint of an element of a composite, which is in a way a property of what the composite stands for.
    func inner(_ name: String) -> NameHint { NameHint(words: Self.words(of: name), owner: words) }

    func has(_ candidates: String...) -> Bool { candidates.contains { words.contains($0) } }

    /// Whether the last word is one of these, which is mostly what something is.
    func ends(_ candidates: String...) -> Bool { words.last.map { candidates.contains($0) } ?? false }

    func belongs(to candidates: String...) -> Bool { candidates.contains { owner.contains($0) } }

    /// How many in a hundred have no value where none is needed.
    var emptiness: Int { has("deleted", "archived", "cancelled", "canceled", "revoked", "banned") ? 92 : 15 }

    /// How many in a hundred are true.
    var isOften: Int {
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
