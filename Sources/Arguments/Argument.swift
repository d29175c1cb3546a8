// SPDX-License-Identifier: Apache-2.0

/// A positional argument: `Argument<String>` is required, `Argument<String?>` is optional, and `Argument<[String]>`
/// accepts any number of words.
///
///     let path = Argument<[String]>("PATH", "The models to check.", atLeast: 1)
package struct Argument<Value: ArgumentResult>: Parameter {
    package let declaration: Declaration
    private let standard: Value?

    /// Declares an argument; `name` is the placeholder in the help text.
    package init(
        _ name: String,
        _ summary: String,
        default standard: Value? = nil,
        choices: [String]? = nil,
        completion: Completion = .none,
        atLeast minimum: Int = 0
    ) {
        self.standard = standard
        declaration = Declaration(
            kind: .argument,
            name: name,
            placeholder: name,
            summary: summary,
            minimum: Value.minimum(atLeast: minimum, default: standard),
            repeats: Value.repeats,
            defaults: standard?.singles.map(\.argument) ?? [],
            choices: choices ?? Value.Single.choices,
            completion: completion
        )
    }

    package func value(from words: [String]) throws(InvalidArgument) -> Value {
        try Value.read(words, default: standard)
    }
}
