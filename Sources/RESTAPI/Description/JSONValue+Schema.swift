// SPDX-License-Identifier: Apache-2.0

// Builds schemas.

import JSON

extension JSONValue {
    /// An object schema with properties. A property that is a string is the name of a type.
    static func schema(
        _ type: String,
        required: [String] = [],
        _ properties: JSONObject = JSONObject(),
        _ description: String? = nil
    ) -> JSONValue {
        var schema: JSONObject = ["type": .string(type)]
        if let description { schema["description"] = .string(description) }
        if !required.isEmpty { schema["required"] = .array(required.map(JSONValue.string)) }
        if !properties.isEmpty {
            let all = properties.members.map { ($0.name, $0.value.string.map { ["type": .string($0)] } ?? $0.value) }
            schema["properties"] = .object(JSONObject(all))
        }
        return .object(schema)
    }

    /// An object with all that several schemas have, with further properties, and with nothing else.
    static func closed(
        _ parts: [JSONValue],
        _ properties: [(String, JSONValue)] = [],
        required: [String] = []
    ) -> JSONValue {
        guard !parts.isEmpty else { return schema("object", required: required, JSONObject(properties)).closed }
        return extended(parts, properties, required: required).with("unevaluatedProperties", false)
    }

    /// An object with all that several schemas have, and with further properties, which generators of clients lose beside
    /// `allOf`.
    static func extended(
        _ parts: [JSONValue],
        _ properties: [(String, JSONValue)],
        required: [String] = []
    ) -> JSONValue {
        let own = schema("object", required: required, JSONObject(properties))
        if parts.isEmpty { return own }
        return ["allOf": .array(parts + (properties.isEmpty ? [] : [own]))]
    }

    /// The schema without additional properties.
    var closed: JSONValue { with("additionalProperties", false) }

    static let count: JSONValue = [
        "type": "integer", "format": "int64", "minimum": 0, "maximum": .integer(Int64.max),
    ]

    static func list(of items: JSONValue) -> JSONValue { ["type": "array", "items": items] }

    /// One of several schemas; a single schema is returned as it is, and no schemas make one that nothing matches.
    static func any(of all: [JSONValue]) -> JSONValue {
        switch all.count {
        case 0: ["not": [:]]
        case 1: all[0]
        default: ["anyOf": .array(all)]
        }
    }

    /// The object with a member added or replaced.
    func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard let value, var object else { return self }
        object[name] = value
        return .object(object)
    }

    func described(_ text: String?) -> JSONValue { with("description", text.map(JSONValue.string)) }

    /// The schema, or null.
    var orNull: JSONValue {
        guard let object else { return self }
        if let type = object["type"]?.string, object["enum"] == nil, object["const"] == nil {
            return with("type", [.string(type), "null"])
        }
        if let all = object["anyOf"]?.array, object.count == 1 { return ["anyOf": .array(all + [["type": "null"]])] }
        return object.isEmpty ? self : ["anyOf": [self, ["type": "null"]]]
    }
}
