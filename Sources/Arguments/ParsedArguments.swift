// SPDX-License-Identifier: Apache-2.0

/// The values of a parsed command line, by parameter.
///
///     let paths: [String] = parsed[path]
///     if parsed[json] { … }
package struct ParsedArguments: Sendable {
    /// The names from the root to the command: `["outcrop", "model", "check"]`.
    package let path: [String]
    let values: [String: any Sendable]

    /// The value of a parameter, which the command or an enclosing group must declare.
    package subscript<P: Parameter>(parameter: P) -> P.Value {
        let spelling = parameter.declaration.spelling
        guard let value = values[spelling] as? P.Value else {
            preconditionFailure(
                "“\(path.joined(separator: " "))” does not declare the parameter \(spelling) with this type;"
                    + " add it to the command's parameters."
            )
        }
        return value
    }
}
