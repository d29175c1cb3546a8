// SPDX-License-Identifier: Apache-2.0

/// An option with a value: `Option<Int>` is required unless it has a default, `Option<Int?>` is optional, and
/// `Option<[Int]>` may be repeated.
///
///     let output = Option<String>("output", short: "o", value: "OUT", "Write the picture to OUT.")
///     let kind = Option<Kind>("to", value: "KIND", "The format to write.", default: .json)
package struct Option<Value: ArgumentResult>: Parameter {
    package let declaration: Declaration
    private let standard: Value?

    /// Declares an option. `value` is the placeholder in help, by default the name in capitals. `allowsLeadingDash` allows
    /// values that begin with a single dash.
    package init(
        _ name: String,
        short: Character? = nil,
        value placeholder: String? = nil,
        _ summary: String,
        default standard: Value? = nil,
        choices: [String]? = nil,
        completion: Completion = .none,
        atLeast minimum: Int = 0,
        allowsLeadingDash: Bool = false,
        familiarNames: [String] = [],
        section: String? = nil,
        isCommon: Bool = false
    ) {
        self.standard = standard
        declaration = Declaration(
            kind: .option,
            name: name,
            short: short,
            placeholder: placeholder ?? name.uppercased(),
            summary: summary,
            minimum: Value.minimum(atLeast: minimum, default: standard),
            repeats: Value.repeats,
            allowsLeadingDash: allowsLeadingDash,
            defaults: standard?.singles.map(\.argument) ?? [],
            choices: choices ?? Value.Single.choices,
            completion: completion,
            familiarNames: familiarNames,
            section: section,
            isCommon: isCommon
        )
    }

    package func value(from words: [String]) throws(InvalidArgument) -> Value {
        try Value.read(words, default: standard)
    }
}
