// SPDX-License-Identifier: Apache-2.0

// Schemas of attributes' values.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The use of a schema.
enum SchemaUse {
    /// In a response.
    case read
    /// In a body that inserts or replaces an object.
    case whole
    /// In a body that changes some properties of an object.
    case part
}

extension ModelDescription {
    /// The schema of an attribute's values. If JSON Schema can't express a rule, such as a length in UTF-16 code units,
    /// the schema is wider and its description has the rule.
    func schema(of attribute: AttributeDescription, for use: SchemaUse) -> JSONValue {
        var schema = use == .read ? shown(attribute) : taken(attribute, for: use)
        let isOptional = attribute.attribute.isOptional || !appliesRules
        if attribute.type.acceptsAnyValue {
            // The value itself may be null, so null is refused by what it lacks.
            if !isOptional, use != .read { schema = ["not": ["type": "null"]] }
        } else if isOptional || use == .read && attribute.type.mayBeNaN {
            schema = schema.orNull
        }
        if use == .part, attribute.type.isNumeric {
            schema = alsoIncremented(schema, attribute.type)
        }
        if use == .whole, let value = defaultValue(of: attribute) { schema = schema.with("default", value) }
        return schema.described(rules(of: attribute, for: use)).with("readOnly", attribute.isDerived ? true : nil)
    }

    // MARK: Responses

    private func shown(_ attribute: AttributeDescription) -> JSONValue {
        switch attribute.type {
        case .int16, .int32, .int64, .double, .float: Self.number(attribute.type)
        case .decimal: reference(.decimalValue)
        case .string, .uri, .objectID: ["type": "string"]
        case .bool: ["type": "boolean"]
        case .date: reference(.dateValue)
        case .uuid: ["type": "string", "format": "uuid"]
        case .binary: reference(.binary)
        case .composite(let name): compositeReference(name, part: .object)
        case .transformable, .undefined: [:]
        }
    }

    // MARK: Bodies

    private func taken(_ attribute: AttributeDescription, for use: SchemaUse) -> JSONValue {
        let rules = appliesRules ? attribute.attribute : nil
        return switch attribute.type {
        case .int16, .int32, .int64, .double, .float: number(attribute.type, within: rules)
        case .decimal: decimal(rules)
        case .string: string(rules)
        case .date: reference(.dateInput)
        case .binary: reference(.base64)
        case .composite(let name): compositeReference(name, part: use == .part ? .patch : .create)
        default: shown(attribute)
        }
    }

    private func string(_ rules: Attribute?) -> JSONValue {
        var schema: JSONObject = ["type": "string"]
        // A character outside the basic plane counts as two.
        if let least = rules?.minimumLength, least > 0 { schema["minLength"] = .integer((least + 1) / 2) }
        if let most = rules?.maximumLength, most > 0 { schema["maxLength"] = .integer(most) }
        if let pattern = rules?.regularExpression, Self.isPlain(pattern) {
            schema["pattern"] = .string("^(?:\(pattern))$")
        }
        return .object(schema)
    }

    private func number(_ kind: AttributeType, within bounds: Attribute?) -> JSONValue {
        let least = bounds?.minimumValue.flatMap(Self.json)
        let most = bounds?.maximumValue.flatMap(Self.json)
        let (low, high): (JSONValue?, JSONValue?) =
            switch kind {
            case .int16: (.integer(Int16.min), .integer(Int16.max))
            case .int32: (.integer(Int32.min), .integer(Int32.max))
            case .int64: (.integer(Int64.min), .integer(Int64.max))
            // The maximum as text is rounded up.
            case .float: (.double(-3.4028235e38), .double(3.4028235e38))
            default: (nil, nil)
            }
        return Self.number(kind).with("minimum", least ?? low).with("maximum", most ?? high)
    }

    private static func number(_ kind: AttributeType) -> JSONValue {
        switch kind {
        case .int16, .int32: ["type": "integer", "format": "int32"]
        case .int64: ["type": "integer", "format": "int64"]
        case .float: ["type": "number", "format": "float"]
        default: ["type": "number", "format": "double"]
        }
    }

    /// A decimal as text, which is exact, or as a number.
    private func decimal(_ rules: Attribute?) -> JSONValue {
        let least = rules?.minimumValue.flatMap(Self.json)
        let most = rules?.maximumValue.flatMap(Self.json)
        let text: SharedSchema = (least?.number?.double ?? -1) >= 0 ? .positiveDecimalInput : .decimalInput
        let number: JSONValue = ["type": "number"]
        return .any(of: [
            reference(text), number.with("minimum", least ?? -1e127).with("maximum", most ?? 1e127),
        ])
    }

    static let shownDecimal = decimal(matching: #"^-?[0-9]+(?:\.[0-9]+)?$"#)
    static let decimalInput = decimal(matching: "^-?\(acceptedDecimal)$")
    /// Zero may have a sign.
    static let positiveDecimalInput = decimal(matching: "^(?:-0(?:\\.0+)?|\(acceptedDecimal))$")

    private static func decimal(matching pattern: String) -> JSONValue {
        ["type": "string", "format": "decimal", "pattern": .string(pattern)]
    }

    /// The object that adds to a number. Decimals are changed by numbers.
    func increment(of type: AttributeType) -> JSONValue {
        JSONValue.schema("object", required: ["$inc"], ["$inc": number(type, within: nil)]).closed
    }

    private func alsoIncremented(_ schema: JSONValue, _ type: AttributeType) -> JSONValue {
        let shared: SharedSchema =
            switch type {
            case .int16: .int16Increment
            case .int32: .int32Increment
            case .int64: .int64Increment
            case .float: .floatIncrement
            default: .doubleIncrement
            }
        let increment = reference(shared)
        if let all = schema["anyOf"]?.array { return ["anyOf": .array(all + [increment])] }
        return ["anyOf": [schema, increment]]
    }

    /// Dates beyond RFC 3339 are seconds since 2001.
    static let date = JSONValue.any(of: [["type": "string", "format": "date-time"]] + farDates)
    /// A date without a time is midnight UTC.
    static let dateInput = JSONValue.any(
        of: [["type": "string", "format": "date-time"], ["type": "string", "format": "date"]] + farDates
    )
    private static let farDates: [JSONValue] = [
        ["type": "number", "minimum": 252_423_993_600], ["type": "number", "exclusiveMaximum": -63_145_440_000],
    ]

    /// Accepts up to 38 digits with the point anywhere and all valid exponents, longer forms that responses use, and
    /// greater exponents of whole numbers.
    private static let acceptedDecimal: String = {
        let fractions = (1...37).map { "[1-9][0-9]{0,\($0 - 1)}\\.[0-9]{1,\(38 - $0)}" } + ["0\\.[0-9]{1,38}"]
        let forms = [
            "(?:0|[1-9][0-9]{0,37}|\(fractions.joined(separator: "|")))(?:[eE][+-]?[0-8]?[0-9])?",
            "[1-9][0-9]{0,37}0{0,90}",
            "0\\.0{0,90}[0-9]{1,38}",
            "[1-9](?:[0-9]{0,36}[1-9])?[eE]\\+?(?:9[0-9]|1[01][0-9]|12[0-7])",
            "[1-9][0-9]{0,37}[eE]-(?:9[0-9]|1[01][0-9]|12[0-8])",
        ]
        return "(?:\(forms.joined(separator: "|")))"
    }()
    static let base64: JSONValue = ["type": "string", "contentEncoding": "base64", "pattern": .string(base64Pattern)]
    private static let base64Pattern = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"

    /// Whether all dialects understand the expression alike: it has no class, escape or group that differs between
    /// them.
    private static func isPlain(_ pattern: String) -> Bool {
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            guard scalar.isASCII else { return false }
            if isEscaped {
                if scalar.properties.isAlphabetic || scalar.properties.numericType != nil { return false }
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            }
        }
        return !isEscaped && !["(?", "[[", "[:", "&&", "--", "++", "*+", "?+", "}+"].contains { pattern.contains($0) }
    }

    // MARK: Text and values

    private func rules(of attribute: AttributeDescription, for use: SchemaUse) -> String? {
        let rules = attribute.attribute
        var sentences: [String] = []
        if let derivation = rules.derivation { sentences.append("Derived: \(derivation).") }
        switch attribute.type {
        case .string where rules.minimumLength ?? 0 > 0 || rules.maximumLength ?? 0 > 0:
            let bounds = [
                rules.minimumLength.map { "at least \($0)" },
                rules.maximumLength.flatMap { $0 > 0 ? "at most \($0)" : nil },
            ]
            sentences.append("Length in UTF-16 units: \(bounds.compactMap(\.self).joined(separator: ", ")).")
        case .uri: sentences.append("A URI.")
        case .transformable(let transformer?) where attribute.isTransformedByApp:
            sentences.append("Output of the transformer \(transformer), in base64.")
        case .transformable(let transformer?): sentences.append("JSON output of the transformer \(transformer).")
        case .date:
            if let least = rules.minimumValue { sentences.append("Not before \(least).") }
            if let most = rules.maximumValue { sentences.append("Not after \(most).") }
        case .decimal where use != .read: sentences.append("At most 38 digits.")
        default: break
        }
        if let pattern = rules.regularExpression, use != .read, !Self.isPlain(pattern) {
            sentences.append("Matches as a whole: \(pattern)")
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private func defaultValue(of attribute: AttributeDescription) -> JSONValue? {
        guard let value = attribute.attribute.defaultValue, attribute.elements.isEmpty else { return nil }
        var buffer = JSONBuffer()
        buffer.write(value, of: attribute)
        return attribute.type == .binary ? nil : try? JSONValue(parsing: buffer.bytes)
    }

    private static func json(_ value: Value) -> JSONValue? {
        switch value {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .decimal(let number): JSONNumber(number.description).map(JSONValue.number)
        default: nil
        }
    }
}

extension AttributeType {
    var acceptsAnyValue: Bool {
        switch self {
        case .transformable, .undefined: true
        default: false
        }
    }

    /// Whether values may be NaN or infinite, which are shown as null.
    fileprivate var mayBeNaN: Bool { self == .double || self == .float || self == .decimal }

    fileprivate var isNumeric: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }
}
