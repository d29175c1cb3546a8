// SPDX-License-Identifier: Apache-2.0

// Values on the command line, given as JSON.

import Arguments
import FoundationEssentials
import JSON
import Predicates

/// A value written as JSON: `42`, `"text"`, `[1, 2]`.
struct JSONArgument: ArgumentValue {
    let value: Value
    let argument: String

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        let json: JSONValue
        do {
            json = try JSONValue(parsing: argument)
        } catch {
            throw InvalidArgument("expected JSON, in which text has double quotes of its own, as in '\"text\"'")
        }
        value = try Value(json)
    }
}

/// A variable and its value, `NAME=JSON`; the `$` that a predicate has before the name may stand or not.
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

extension Value {
    /// The value that JSON writes. A number that is no integer of 64 bits and no exact double is a decimal.
    init(_ json: JSONValue) throws(InvalidArgument) {
        switch json.kind {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = try Value(number)
        case .string(let text): self = .string(text)
        case .array(let members): self = .array(try members.map { member throws(InvalidArgument) in try Value(member) })
        case .object(let object):
            var members: [String: Value] = [:]
            for member in object.members { members[member.name] = try Value(member.value) }
            self = .dictionary(members)
        }
    }

    private init(_ number: JSONNumber) throws(InvalidArgument) {
        if !number.text.contains(where: { ".eE".contains($0) }) {
            if let integer = number.int64 {
                self = .integer(integer)
                return
            }
            if number.text.count <= 38, let decimal = Decimal(string: number.text) {
                self = .decimal(decimal)
                return
            }
        }
        guard let double = number.double else {
            throw InvalidArgument("the number \(number.text.prefix(40)) is too large")
        }
        self = .double(double)
    }
}
