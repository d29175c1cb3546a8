// SPDX-License-Identifier: Apache-2.0
// What the three kinds of parameters (`Argument`, `Option`, `Flag`) have in common: a declaration to be shown, and a
// typed value to be read.

/// A typed key: declared by a command, and asked for in `Parsed`.
public protocol Parameter<Value>: Sendable {
    associatedtype Value: Sendable

    /// What help, completion and documentation know about the parameter.
    var declaration: Declaration { get }

    /// Makes the value out of the words given for the parameter, in their order.
    func value(from words: [String]) throws(InvalidArgument) -> Value
}
