// SPDX-License-Identifier: Apache-2.0

/// A typed parameter of a command (`Argument`, `Option` or `Flag`), which is also the key of its value in `ParsedArguments`.
package protocol Parameter<Value>: Sendable {
    associatedtype Value: Sendable

    /// The description for help, completion and documentation.
    var declaration: Declaration { get }

    /// Converts the words given for the parameter, in their order.
    func value(from words: [String]) throws(InvalidArgument) -> Value
}
