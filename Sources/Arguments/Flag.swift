// SPDX-License-Identifier: Apache-2.0

/// An option without a value. Repeating it has no effect.
///
///     let json = Flag("json", "Answer in JSON.")
package struct Flag: Parameter {
    package let declaration: Declaration

    package init(
        _ name: String,
        short: Character? = nil,
        _ summary: String,
        section: String? = nil,
        isCommon: Bool = false
    ) {
        declaration = Declaration(
            kind: .flag,
            name: name,
            short: short,
            summary: summary,
            repeats: true,
            section: section,
            isCommon: isCommon
        )
    }

    package func value(from words: [String]) -> Bool {
        !words.isEmpty
    }
}
