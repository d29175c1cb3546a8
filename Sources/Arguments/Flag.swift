// SPDX-License-Identifier: Apache-2.0

/// An option without a value. Repeating it has no effect.
///
///     let json = Flag("json", "Answer in JSON.")
public struct Flag: Parameter {
    public let declaration: Declaration

    public init(_ name: String, short: Character? = nil, _ summary: String, section: String? = nil) {
        declaration = Declaration(
            kind: .flag,
            name: name,
            short: short,
            summary: summary,
            repeats: true,
            section: section
        )
    }

    public func value(from words: [String]) -> Bool {
        !words.isEmpty
    }
}
