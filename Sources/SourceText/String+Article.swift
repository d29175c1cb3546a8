// SPDX-License-Identifier: Apache-2.0

// Indefinite articles, for names from models in messages.

extension String {
    /// The word with its indefinite article, which its first letter decides: `a Post`, `an Author`. A `U` is taken as that
    /// of `User`.
    public var withArticle: String {
        let isVowel = first.map { "AEIOaeio".contains($0) } ?? false
        return isVowel ? "an \(self)" : "a \(self)"
    }
}
