// SPDX-License-Identifier: Apache-2.0

// Lossless conversion between single values and text.

import FoundationEssentials
import ObjectModel
import Predicates
import SourceText

/// The kinds of values that text can represent, named like their XML elements.
enum ValueKind: String {
    case bool
    case integer
    case double
    case decimal
    case string
    case date
    case data
    case uuid
    case uri
    case reference

    init?(_ type: AttributeType) {
        switch type {
        case .int16, .int32, .int64: self = .integer
        case .decimal: self = .decimal
        case .double, .float: self = .double
        case .string: self = .string
        case .bool: self = .bool
        case .date: self = .date
        case .binary: self = .data
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .objectID: self = .reference
        case .transformable, .composite, .undefined: return nil
        }
    }

    init?(_ value: Value) {
        switch value {
        case .bool: self = .bool
        case .integer: self = .integer
        case .double: self = .double
        case .decimal: self = .decimal
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .reference: self = .reference
        case .null, .array, .dictionary: return nil
        }
    }

    /// Nil if the value isn't of a kind that text can represent.
    func text(of value: Value) -> String? {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): number.description
        case .string(let text), .uri(let text): text
        case .date(let date): date.iso8601 ?? "\(date.timeIntervalSinceReferenceDate)"
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .reference(let reference): reference.uri
        case .null, .array, .dictionary: nil
        }
    }

    /// Nil if the text isn't a value of this kind.
    func value(of text: String) -> Value? {
        switch self {
        case .bool: text == "true" ? true : text == "false" ? false : nil
        case .integer: Int64(text).map(Value.integer)
        case .double: Double(text).map(Value.double)
        case .decimal: Decimal(lossless: text).map(Value.decimal)
        case .string: .string(text)
        case .date:
            (Double(text).map(Date.init(timeIntervalSinceReferenceDate:)) ?? Date(iso8601: text)).map(Value.date)
        case .data: Data(base64Encoded: text).map(Value.data)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: .uri(text)
        case .reference: .reference(ObjectReference(uri: text))
        }
    }
}

extension Decimal {
    /// Parses a decimal as its description writes it; nil if malformed.
    init?(lossless text: String) {
        if text == Decimal.nan.description {
            self = .nan
        } else {
            guard !text.isEmpty, text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }),
                let number = Decimal(string: text)
            else { return nil }
            self = number
        }
    }
}

extension String {
    /// Whether XML can represent the text without an encoding.
    var isXMLText: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0xFFFD: true
            case 0x1_0000...: true
            default: false
            }
        }
    }

    var base64: String { Data(utf8).base64EncodedString() }

    init?(base64 text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        self.init(validating: data, as: UTF8.self)
    }
}
