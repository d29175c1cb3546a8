// SPDX-License-Identifier: Apache-2.0

// Converts arguments to values: text, and JSON without such a type, is converted to the type of the other operand.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// Why an argument can't be converted.
struct ArgumentMismatch: Error {
    let message: String
    var hint: String?
}

struct ArgumentReader {
    let names: ObjectIDResolver
    let catalogue: Catalogue
    /// Whether arguments are words of a command line, where `Post/p7`, the end of a URI, is a reference as well.
    var isOfCommandLine = false

    /// The value of an argument compared with an operand of a type.
    func value(
        of argument: PredicateArgument,
        as end: OperandType,
        _ conversion: FormatArgument.Kind = .any
    ) throws(ArgumentMismatch) -> Value {
        switch argument {
        case .json(let value): return try self.value(of: value, as: end)
        case .text(let text):
            switch (end.kind, conversion) {
            case (.unknown, .integer), (.unknown, .float): return try number(text)
            case (_, _) where end.isMany && !end.isText:
                throw ArgumentMismatch(
                    message: "A list is expected, not “\(text)”.",
                    hint: "Write a list as JSON: [1,2] or [\"a\",\"b\"]."
                )
            default: return try value(of: text, as: end.kind)
            }
        }
    }

    // MARK: Text

    private func value(of text: String, as kind: OperandType.Kind) throws(ArgumentMismatch) -> Value {
        switch kind {
        case .unknown, .text: .string(text)
        case .number: try number(text)
        case .date: .date(try date(text))
        case .object(let entity): try reference(text, to: entity)
        case .attribute(let attribute): try value(of: text, as: attribute)
        case .json: Self.anyJSON(text)
        }
    }

    /// Text that isn't JSON is a string.
    private static func anyJSON(_ text: String) -> Value {
        (try? JSONValue(parsing: text)).map(plain) ?? .string(text)
    }

    private func value(of text: String, as attribute: AttributeDescription) throws(ArgumentMismatch) -> Value {
        let value: Value? =
            switch attribute.type {
            case .int16, .int32, .int64, .double: Self.number(text)
            case .float: Self.float(text)
            case .decimal: Self.decimal(text).map(Value.decimal)
            case .string: .string(text)
            case .uri: .uri(text)
            case .bool: Self.flag(text).map(Value.bool)
            case .date: Date(iso8601: text).map(Value.date)
            case .binary: Data(base64Encoded: text).map(Value.data)
            case .uuid: UUID(uuidString: text).map(Value.uuid)
            case .objectID: objectID(text).map(\.value)
            case .transformable, .undefined: Self.anyJSON(text)
            case .composite: nil
            }
        guard let value else {
            throw ArgumentMismatch(
                message:
                    "“\(text)” isn't a valid \(attribute.type.name) for “\(ResourceProperty.name(of: attribute.name))”.",
                hint: hint(attribute)
            )
        }
        return value
    }

    private func hint(_ attribute: AttributeDescription) -> String? {
        switch attribute.type {
        case .bool: "Use true or false."
        case .date: dateHint
        case .binary: "Write bytes in base64."
        case .composite:
            "Compare its elements: \(attribute.elements.map { "\(attribute.name).\($0.name)" }.joined(separator: ", "))."
        default: nil
        }
    }

    private var dateHint: String {
        "Write a date as 2026-11-21T09:30:00Z" + (isOfCommandLine ? "." : "; encode a plus sign in a query as %2B.")
    }

    private func number(_ text: String) throws(ArgumentMismatch) -> Value {
        guard let number = Self.number(text) else {
            throw ArgumentMismatch(message: "A number is expected, not “\(text)”.")
        }
        return number
    }

    private func date(_ text: String) throws(ArgumentMismatch) -> Date {
        guard let date = Date(iso8601: text) else {
            throw ArgumentMismatch(
                message: "A date is expected, not “\(text)”.",
                hint: dateHint
            )
        }
        return date
    }

    private static func number(_ text: String) -> Value? {
        // Swift also accepts hexadecimal digits, `inf` and `nan`.
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        if let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .double(number)
    }

    /// The double of the float that this text represents.
    private static func float(_ text: String) -> Value? {
        guard let value = number(text), case .double(let number) = value else { return number(text) }
        let single = Double(Float(number))
        // Beyond the range of floats, comparisons still work with the double.
        return single.isFinite ? .double(single) : value
    }

    private static func decimal(_ text: String) -> Decimal? {
        guard number(text) != nil, let decimal = Decimal(string: text), !decimal.isNaN else { return nil }
        return decimal
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    // MARK: References

    private func reference(_ text: String, to described: EntityDescription) throws(ArgumentMismatch) -> Value {
        let entity = catalogue.served(described)
        guard let objectID = objectID(text) else {
            throw ArgumentMismatch(
                message: "“\(text)” isn't a reference to \(catalogue[entity].name.withArticle).",
                hint: "Write a reference as \(catalogue[entity].path)/1."
            )
        }
        if objectID.entity.isKind(of: entity) { return objectID.value }
        // A reference that names a superentity may mean this entity.
        guard entity.isKind(of: objectID.entity), let store = objectID.storeIdentifier, let key = objectID.reference
        else {
            let actual = catalogue[objectID.entity].name.withArticle
            throw ArgumentMismatch(
                message: "“\(text)” is \(actual), but \(catalogue[entity].name.withArticle) is expected."
            )
        }
        return ManagedObjectID(entity: entity, store: store, reference: key).value
    }

    private func objectID(_ text: String) -> ManagedObjectID? {
        if text.hasPrefix("x-coredata:") { return names.objectID(forURI: catalogue.servedURI(text)) }
        guard let (resource, key) = catalogue.parts(ofReference: text) else { return nil }
        let isRowKey = isOfCommandLine && key.hasPrefix("p") && Int64(key.dropFirst()) != nil
        return names.objectID(of: resource, key: isRowKey ? String(key.dropFirst()) : key)
    }

    // MARK: JSON

    private func value(of json: JSONValue, as end: OperandType) throws(ArgumentMismatch) -> Value {
        switch json.kind {
        case .array(let members):
            let member = OperandType(kind: end.kind)
            return .array(try members.map { (json) throws(ArgumentMismatch) in try value(of: json, as: member) })
        case .string(let text): return try value(ofString: text, as: end.kind)
        case .number(let number):
            guard case .attribute(let attribute) = end.kind else { break }
            switch attribute.type {
            case .decimal: return Self.decimal(number.text).map(Value.decimal) ?? Self.plain(json)
            case .float: return Self.float(number.text) ?? Self.plain(json)
            default: break
            }
        case .object(let members):
            guard case .object(let entity) = end.kind else { break }
            return try reference(members["_id"]?.string ?? json.serialized(), to: entity)
        default: break
        }
        return Self.plain(json)
    }

    /// Strings represent all types that JSON doesn't have, but neither numbers nor Booleans.
    private func value(ofString text: String, as kind: OperandType.Kind) throws(ArgumentMismatch) -> Value {
        switch kind {
        case .unknown, .text, .number, .json: return .string(text)
        case .date, .object: return try value(of: text, as: kind)
        case .attribute(let attribute):
            switch attribute.type {
            case .int16, .int32, .int64, .double, .float, .bool, .transformable, .undefined: return .string(text)
            default: return try value(of: text, as: attribute)
            }
        }
    }

    private static func plain(_ json: JSONValue) -> Value {
        switch json.kind {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let number): self.number(number.text) ?? .string(number.text)
        case .string(let text): .string(text)
        case .array(let members): .array(members.map(plain))
        case .object(let members):
            .dictionary(Dictionary(members.members.map { ($0.name, plain($0.value)) }) { _, last in last })
        }
    }
}
