// SPDX-License-Identifier: Apache-2.0

// Attributes: `"title": "String"`, `"views": {"type": "Int64?", "default": 0}`.

import JSON
import Predicates
import SourceText

extension JSONModelReader {
    mutating func attribute(_ name: String, _ value: JSONValue) -> Attribute {
        var attribute = Attribute(name: name, type: .undefined)
        if let text = value.string {
            (attribute.type, attribute.isOptional) = type(text, at: value.position)
            return attribute
        }
        guard let object = object(value, .attribute, or: "a string") else { return attribute }
        readType(of: object, at: value.position, into: &attribute)
        attribute.isTransient = flag("transient", of: object) ?? false
        attribute.regularExpression = text("pattern", of: object)
        attribute.derivation = text("derived", of: object)
        attribute.allowsExternalStorage = flag("externalStorage", of: object) ?? false
        attribute.isPreservedAfterDeletion = flag("preservedAfterDeletion", of: object) ?? false
        attribute.isSearchIndexed = flag("searchIndexed", of: object) ?? false
        attribute.isIndexed = flag("indexed", of: object) ?? false
        attribute.minimumLength = count("minLength", of: object)
        attribute.maximumLength = count("maxLength", of: object)
        attribute.defaultValue = self.value("default", of: object, attribute.type)
        attribute.minimumValue = self.value("min", of: object, attribute.type)
        attribute.maximumValue = self.value("max", of: object, attribute.type)
        attribute.userInfo = userInfo(of: object)
        attribute.renamingIdentifier = text("renamedFrom", of: object)
        attribute.versionHashModifier = text("versionHashModifier", of: object)
        attribute.extras = extras(of: object, .attribute)
        return attribute
    }

    private mutating func readType(of object: JSONObject, at position: TextPosition?, into attribute: inout Attribute) {
        var isOptional = false
        if let text = text("composite", of: object) {
            let name = text.withoutQuestionMark
            attribute.type = .composite(name)
            isOptional = name != text
            if let member = object.member("type") {
                report(.modelValue, at: member.position, "An attribute can't have both a type and a composite.")
            }
        } else if let text = text("type", of: object), let value = object["type"] {
            (attribute.type, isOptional) = type(text, at: value.position)
        } else if object["type"] == nil, object["composite"] == nil {
            report(
                .modelMissing,
                at: position,
                "An attribute needs a type.",
                hint: "Write \"type\": \"String\", for example."
            )
        }
        let flag = flag("optional", of: object)
        if isOptional, flag == false {
            report(
                .modelValue,
                at: object["optional"]?.position,
                "The question mark makes the attribute optional, but “optional” is false."
            )
        }
        attribute.isOptional = flag ?? isOptional
        if let transformer = text("transformer", of: object) {
            if case .transformable = attribute.type {
                attribute.type = .transformable(transformer: transformer)
            } else {
                report(
                    .modelValue,
                    at: object.member("transformer")?.position,
                    "Only an attribute of type Transformable can have a transformer."
                )
            }
        }
    }

    /// The type of a name, and whether a question mark follows it.
    mutating func type(_ text: String, at position: TextPosition?) -> (AttributeType, isOptional: Bool) {
        let name = text.withoutQuestionMark
        if let type = AttributeType.named.first(where: { $0.name == name })?.type { return (type, name != text) }
        if compositeNames.contains(name) { return (.composite(name), name != text) }
        let entityHint = Relationship(name: "", notation: text).flatMap { relationship in
            entityNames.contains(relationship.destinationName)
                ? "\(relationship.destinationName) is an entity: write this under “relationships”." : nil
        }
        let similarName = AttributeType.similarName(name, composites: compositeNames).map { "Did you mean “\($0)”?" }
        let names = AttributeType.named.map(\.name).joined(separator: ", ")
        report(
            .modelValue,
            at: position,
            "“\(name)” is neither a type nor a composite of the model.",
            hint: entityHint ?? similarName ?? "The types are \(names)."
        )
        return (.undefined, name != text)
    }

    private mutating func value(_ key: String, of object: JSONObject, _ type: AttributeType) -> Value? {
        guard let json = object[key], !json.isNull else { return nil }
        if let value = type.value(json: json) { return value }
        if let expected = type.jsonValueName {
            report(
                .modelValue,
                at: json.position,
                "\(key) of type \(type.name) must be \(expected), not \(json.shown).",
                hint: hint(for: key, type)
            )
        } else if type != .undefined {
            report(
                .modelValue,
                at: json.position,
                "An attribute of type \(type.name) can't have a \(key)."
            )
        }
        return nil
    }
}

extension JSONModelReader {
    private func hint(for key: String, _ type: AttributeType) -> String? {
        switch (type, key) {
        case (.string, "min"): "Set the minimum length of a string with minLength."
        case (.string, "max"): "Set the maximum length of a string with maxLength."
        case (.decimal, _): "It can have at most 38 digits."
        default: nil
        }
    }
}

extension Attribute {
    func json(compositeNames: Set<String>) throws(ModelError) -> JSONValue {
        var object = JSONObject()
        let mark = isOptional ? "?" : ""
        if case .composite(let name) = type, AttributeType.isTaken(name) || !compositeNames.contains(name) {
            object["composite"] = .string(name + mark)
        } else {
            object["type"] = .string(type.name + mark)
        }
        object["transformer"] = type.transformerName.map(JSONValue.string)
        object["default"] = try value(defaultValue, "default")
        object["min"] = try value(minimumValue, "min")
        object["max"] = try value(maximumValue, "max")
        object["minLength"] = minimumLength.map(JSONValue.integer)
        object["maxLength"] = maximumLength.map(JSONValue.integer)
        object["pattern"] = regularExpression.map(JSONValue.string)
        object["derived"] = derivation.map(JSONValue.string)
        object["transient"] = isTransient.jsonTrue
        object["externalStorage"] = allowsExternalStorage.jsonTrue
        object["preservedAfterDeletion"] = isPreservedAfterDeletion.jsonTrue
        object["searchIndexed"] = isSearchIndexed.jsonTrue
        object["indexed"] = isIndexed.jsonTrue
        object["userInfo"] = try userInfo.json()
        object["renamedFrom"] = renamingIdentifier.map(JSONValue.string)
        object["versionHashModifier"] = versionHashModifier.map(JSONValue.string)
        try extras.write(to: &object)
        return object.names == ["type"] ? object["type"] ?? .null : .object(object)
    }

    private func value(_ value: Value?, _ key: String) throws(ModelError) -> JSONValue? {
        guard let value, value != .null else { return nil }
        guard let json = value.json else {
            throw .unwritable("The \(key) of “\(name)” has a value that a model can't represent.", property: name)
        }
        return json
    }
}

extension AttributeType {
    fileprivate static func isTaken(_ name: String) -> Bool {
        named.contains { $0.name == name }
    }
}

extension String {
    var withoutQuestionMark: String {
        last == "?" ? String(dropLast()) : self
    }
}

extension Bool {
    /// True, or nil to leave the member out.
    var jsonTrue: JSONValue? { self ? true : nil }
}

extension JSONValue {
    /// A short value itself, otherwise its kind.
    fileprivate var shown: String {
        switch kind {
        case .string(let text) where text.utf8.count > 40: "a string"
        case .string, .number, .bool: description
        default: kindName
        }
    }
}
