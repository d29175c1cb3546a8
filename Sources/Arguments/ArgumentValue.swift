// SPDX-License-Identifier: Apache-2.0

/// A type that can be parsed from one word of a command line.
///
/// An enumeration of strings gets all requirements from its cases:
///
///     enum Kind: String, CaseIterable, ArgumentValue { case json, xcdatamodel }
package protocol ArgumentValue: ArgumentResult where Single == Self {
    /// Parses a word, or throws the reason: `InvalidArgument("expected NAME=JSON")`.
    init(argument: String) throws(InvalidArgument)

    /// The word that parses to this value.
    var argument: String { get }

    /// The allowed words; empty, the default, if all are.
    static var choices: [String] { get }
}

extension ArgumentValue {
    package static var choices: [String] { [] }
}

extension ArgumentValue where Self: LosslessStringConvertible {
    package var argument: String { description }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    package static var choices: [String] { allCases.map(\.rawValue) }

    package init(argument: String) throws(InvalidArgument) {
        guard let value = Self(rawValue: argument) else {
            throw InvalidArgument("expected \(oneOf(Self.choices))")
        }
        self = value
    }

    package var argument: String { rawValue }
}
