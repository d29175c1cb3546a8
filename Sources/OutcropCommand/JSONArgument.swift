// SPDX-License-Identifier: Apache-2.0

// Values on the command line, as JSON.

import Arguments
import JSON
import Predicates

/// A value written as JSON: `42`, `"text"`, `[1, 2]`.
struct JSONArgument: ArgumentValue {
    let json: JSONValue
    let value: Value
    let argument: String

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        do {
            json = try JSONValue(parsing: argument)
        } catch {
            throw InvalidArgument("expected JSON, in which text is in double quotes, as in '\"text\"'")
        }
        value = try Value(json)
    }
}

/// A variable and its value, `NAME=JSON`; the `$` before the name is optional.
struct VariableArgument: ArgumentValue {
    let name: String
    let value: Value
    let argument: String

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        let parts = argument.split(separator: "=", maxSplits: 1)
        let name = parts.first.map { $0.hasPrefix("$") ? $0.dropFirst() : $0 } ?? ""
        guard parts.count == 2, !name.isEmpty else { throw InvalidArgument("expected NAME=JSON") }
        self.name = String(name)
        value = try JSONArgument(argument: String(parts[1])).value
    }
}
