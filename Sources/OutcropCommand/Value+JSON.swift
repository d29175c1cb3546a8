// SPDX-License-Identifier: Apache-2.0

// Values of attributes and predicates from and to JSON.

import Arguments
import FoundationEssentials
import JSON
import ObjectModel
import Predicates

extension Value {
    /// The value of JSON. A number that is neither a 64-bit integer nor exactly a double is a decimal.
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

extension JSONValue {
    /// A value in the JSON format of models.
    init(_ value: Predicates.Value) {
        self =
            switch value {
            case .array(let members): .array(members.map(JSONValue.init))
            case .dictionary(let members):
                .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }))
            default: value.json ?? .null
            }
    }
}
