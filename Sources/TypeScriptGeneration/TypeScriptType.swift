// SPDX-License-Identifier: Apache-2.0

// The TypeScript types of attributes: as they are read, written, changed and compared.

import ObjectModel
import Predicates

extension TypeScriptNames {
    /// The type of values in answers.
    func read(_ attribute: Attribute) -> String {
        let type: String =
            switch attribute.type {
            case .int16, .int32, .int64, .double, .float: "number"
            case .decimal: "DecimalText"
            case .string, .uuid, .uri, .objectID: "string"
            case .bool: "boolean"
            case .date: "DateTime"
            case .binary: "BinaryValue"
            case .composite(let name): self[composite: name]
            case .transformable, .undefined: "JSONValue"
            }
        return nullable(type, attribute)
    }

    /// The type of values in a body with all of them.
    func written(_ attribute: Attribute) -> String { nullable(input(attribute, .create), attribute) }

    /// The type of values in a body with changes.
    func changed(_ attribute: Attribute) -> String {
        let type = input(attribute, .update)
        return nullable(attribute.type.isNumeric ? type + " | NumberIncrement" : type, attribute)
    }

    private func input(_ attribute: Attribute, _ form: Form) -> String {
        switch attribute.type {
        case .int16, .int32, .int64, .double, .float: "number"
        case .decimal: "DecimalText | number"
        case .string, .uuid, .uri, .objectID: "string"
        case .bool: "boolean"
        case .date: "Date | DateTime"
        case .binary: "BinaryInput"
        case .composite(let name): self[composite: name, form]
        case .transformable, .undefined: "JSONValue"
        }
    }

    /// The type of conditions.
    func filter(_ attribute: Attribute) -> String {
        switch attribute.type {
        case .int16, .int32, .int64, .double, .float: "NumberFilter"
        case .decimal: "DecimalFilter"
        case .string: "TextFilter"
        case .uuid, .uri, .objectID: "IdentifierFilter"
        case .bool: "BooleanFilter"
        case .date: "DateFilter"
        case .binary: "PresenceFilter"
        case .composite(let name): "CompositeFilter<\(self[composite: name, .filter])>"
        case .transformable, .undefined: "JSONFilter"
        }
    }

    /// JSON has its own null.
    private func nullable(_ type: String, _ attribute: Attribute) -> String {
        attribute.isOptional && !attribute.type.isJSON ? type + " | null" : type
    }
}

extension AttributeType {
    fileprivate var isNumeric: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }

    /// Whether values are any JSON.
    var isJSON: Bool {
        switch self {
        case .transformable, .undefined: true
        default: false
        }
    }
}

extension Attribute {
    /// Whether clients may set it.
    var isWritable: Bool { !isDerived && type != .objectID && type != .undefined }

    /// Whether a new object needs a value.
    var isNeeded: Bool { !isOptional && defaultValue == nil }

    /// A comment with what the type doesn't say, or nil.
    var remark: String? {
        var parts: [String] = []
        if let derivation { parts.append("derived: \(derivation)") }
        switch (minimumLength.flatMap { $0 > 0 ? $0 : nil }, maximumLength.flatMap { $0 > 0 ? $0 : nil }) {
        case (let least?, let most?): parts.append("\(least) to \(most) characters")
        case (let least?, nil): parts.append("at least \(least) \(least == 1 ? "character" : "characters")")
        case (nil, let most?): parts.append("at most \(most) \(most == 1 ? "character" : "characters")")
        case (nil, nil): break
        }
        switch (minimumValue?.numberText, maximumValue?.numberText) {
        case (let least?, let most?): parts.append("\(least) to \(most)")
        case (let least?, nil): parts.append("at least \(least)")
        case (nil, let most?): parts.append("at most \(most)")
        case (nil, nil): break
        }
        if let regularExpression { parts.append("matches \(regularExpression)") }
        guard let text = parts.joined(separator: ", ").nonEmpty else { return nil }
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}

extension Value {
    fileprivate var numberText: String? {
        switch self {
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): "\(number)"
        default: nil
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
