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

/// Why a word is no value of a type, as a clause that follows a colon.
public struct InvalidArgument: Error, Equatable {
    public var reason: String
    /// The word, once it is known where it was read.
    var word = ""

    public init(_ reason: String) {
        self.reason = reason
    }
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

extension String: ArgumentValue {
    public init(argument: String) {
        self = argument
    }
}

extension Int: ArgumentValue {
    public init(argument: String) throws(InvalidArgument) {
        guard let value = Int(argument) else { throw InvalidArgument("expected a whole number") }
        self = value
    }
}

extension Double: ArgumentValue {
    public init(argument: String) throws(InvalidArgument) {
        guard let value = Double(argument), value.isFinite else { throw InvalidArgument("expected a number") }
        self = value
    }
}

extension Bool: ArgumentValue {
    public static let choices = ["true", "false"]

    public init(argument: String) throws(InvalidArgument) {
        guard let value = Bool(argument) else { throw InvalidArgument("expected true or false") }
        self = value
    }
}
