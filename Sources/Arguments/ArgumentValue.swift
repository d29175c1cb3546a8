// SPDX-License-Identifier: Apache-2.0
// What can be the value of an argument or option: one word, read into a type of the program's own.

/// A type that one word of a command line can be read into.
///
/// An enumeration of strings gets everything from its cases:
///
///     enum Kind: String, CaseIterable, ArgumentValue { case json, xcdatamodel }
public protocol ArgumentValue: ArgumentResult where Single == Self {
    /// Reads a word, or throws why it can't be: `InvalidArgument("expected NAME=JSON")`.
    init(argument: String) throws(InvalidArgument)

    /// The word that reads as this value.
    var argument: String { get }

    /// The only words allowed; empty, which is the default, if any may be.
    static var choices: [String] { get }
}

extension ArgumentValue {
    public static var choices: [String] { [] }
}

extension ArgumentValue where Self: LosslessStringConvertible {
    public var argument: String { description }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    public static var choices: [String] { allCases.map(\.rawValue) }

    public init(argument: String) throws(InvalidArgument) {
        guard let value = Self(rawValue: argument) else {
            throw InvalidArgument("expected \(oneOf(Self.choices))")
        }
        self = value
    }

    public var argument: String { rawValue }
}
