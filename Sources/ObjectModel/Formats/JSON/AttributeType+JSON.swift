// SPDX-License-Identifier: Apache-2.0

// Types and default values of attributes in the JSON format.

import FoundationEssentials
package import JSON
package import Predicates
import SourceText

extension AttributeType {
    /// The JSON form of the type's values, for messages.
    var jsonValueName: String? {
        switch self {
        case .int16, .int32, .int64: "an integer in the range of \(name)"
        case .decimal: "a number, also as a string"
        case .double, .float: "a number"
        case .string, .uri: "a string"
        case .bool: "true or false"
        case .date: "a date such as \"2024-05-31T12:00:00Z\", or the seconds since 2001-01-01"
        case .binary: "a string in base64"
        case .uuid: "a UUID"
        case .transformable, .composite, .objectID, .undefined: nil
        }
    }

    func value(json: JSONValue) -> Value? {
        switch self {
        case .int16, .int32, .int64: json.int64.flatMap { value(contents: String($0)) }
        case .decimal: (json.number?.text ?? json.string).flatMap { Decimal(exactly: $0) }.map(Value.decimal)
        case .double, .float: json.double.map(Value.double)
        case .bool: json.bool.map(Value.bool)
        case .date:
            json.string.flatMap(Date.init(iso8601:)).map(Value.date) ?? json.number.flatMap { value(contents: $0.text) }
        case .string, .binary, .uuid, .uri: json.string.flatMap { value(contents: $0) }
        case .transformable, .composite, .objectID, .undefined: nil
        }
    }

    /// The type that a name of another system probably means.
    static func similarName(_ name: String, composites: Set<String>) -> String? {
        if let type = AttributeType(contents: name), type.compositeName == nil { return type.name }
        switch name.lowercased() {
        case "int", "integer", "long": return "Int64"
        case "boolean": return "Bool"
        case "data", "blob", "bytes": return "Binary"
        case "text": return "String"
        case "datetime", "timestamp", "time": return "Date"
        case "number", "real": return "Double"
        case "url": return "URI"
        default:
            // Above this number, searching for every wrong type would dominate the check.
            let others = composites.count > 100 ? [] : composites.sorted()
            return Spelling.nearest(to: name, among: named.map(\.name) + others)
        }
    }
}

extension Value {
    /// The value in JSON, or nil if the format can't express it.
    package var json: JSONValue? {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .decimal(let value): value.isNaN ? nil : value.json
        case .string(let text), .uri(let text): .string(text)
        case .date(let date): date.iso8601.map(JSONValue.string) ?? .double(date.timeIntervalSinceReferenceDate)
        case .data(let data): .string(data.base64EncodedString())
        case .uuid(let uuid): .string(uuid.uuidString)
        case .null, .reference, .array, .dictionary: nil
        }
    }
}

extension Decimal {
    /// Parses a number, or returns nil if it has more digits than a `Decimal` keeps.
    fileprivate init?(exactly text: String) {
        self.init(strictly: text)
        guard text.significantDigits == description.significantDigits else { return nil }
    }

    /// A number if every JSON reader keeps all its digits, otherwise a string.
    fileprivate var json: JSONValue {
        let text = description
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }.count
        guard digits <= 15, let number = JSONNumber(text) else { return .string(text) }
        return .number(number)
    }
}

extension String {
    /// The digits without leading and trailing zeros.
    fileprivate var significantDigits: Substring {
        let digits = prefix { $0 != "e" && $0 != "E" }.filter { ("0"..."9").contains($0) }
        let rest = digits.drop { $0 == "0" }
        return rest.lastIndex { $0 != "0" }.map { rest[...$0] } ?? ""
    }
}
