// SPDX-License-Identifier: Apache-2.0

// What a name of an account may be.

/// Names that look the same shouldn't be different accounts.
enum AccountName {
    /// What is wrong with a name, as the rest of a sentence; nil if it is fine.
    static func mistake(in name: String) -> String? {
        let scalars = name.unicodeScalars
        guard let first = scalars.first, let last = scalars.last,
            !scalars.allSatisfy(\.properties.isWhitespace)
        else { return "is empty" }
        if scalars.contains(where: isInvisible) { return "has control characters" }
        return first.properties.isWhitespace || last.properties.isWhitespace ? "begins or ends with a space" : nil
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Some are needed within words of some languages, and in emoji. These change the direction of what follows.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
