// SPDX-License-Identifier: Apache-2.0
// An option that takes a value. Its type says how often it is given.

/// An option with a value: `Option<Int>` must be given unless it has a default, `Option<Int?>` may be left out, and
/// `Option<[Int]>` may be repeated.
///
///     let output = Option<String>("output", short: "o", value: "OUT", "Write the picture to OUT.")
///     let kind = Option<Kind>("to", value: "KIND", "The format to write.", default: .json)
public struct Option<Value: ArgumentResult>: Parameter {
    public let declaration: Declaration
    private let standard: Value?

    /// Declares an option; `value` is the placeholder that help shows, the name in capitals unless given. What `takesDash` may
    /// have a word for its value that begins with one dash.
    public init(
        _ name: String,
        short: Character? = nil,
        value placeholder: String? = nil,
        _ summary: String,
        default standard: Value? = nil,
        choices: [String]? = nil,
        completion: Completion = .none,
        atLeast minimum: Int = 0,
        takesDash: Bool = false,
        section: String? = nil
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
            takesDash: takesDash,
            defaults: standard?.singles.map(\.argument) ?? [],
            choices: choices ?? Value.Single.choices,
            completion: completion,
            section: section
        )
    }

    public func value(from words: [String]) throws(InvalidArgument) -> Value {
        try Value.read(words, default: standard)
    }
}
