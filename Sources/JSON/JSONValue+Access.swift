// SPDX-License-Identifier: Apache-2.0
// Accessors of values.

extension JSONValue {
    public var isNull: Bool { kind == .null }

    public var bool: Bool? {
        if case .bool(let value) = kind { value } else { nil }
    }

    public var number: JSONNumber? {
        if case .number(let value) = kind { value } else { nil }
    }

    /// The number, if it is a whole number that fits.
    public var int64: Int64? { number?.int64 }

    /// The nearest double of the number, or nil if it would be infinite.
    public var double: Double? { number?.double }

    public var string: String? {
        if case .string(let value) = kind { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let values) = kind { values } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let object) = kind { object } else { nil }
    }

    /// The value of a member, or nil if there is none or this isn't an object.
    public subscript(_ name: String) -> JSONValue? { object?[name] }

    /// An element, or nil if there is none or this isn't an array.
    public subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The kind of value for messages: `a string`, `an array`, `null`.
    public var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
