// SPDX-License-Identifier: Apache-2.0
// An option without a value: it is there or it is not.

/// An option without a value; giving it twice is the same as giving it once.
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
