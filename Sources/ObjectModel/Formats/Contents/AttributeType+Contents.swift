// SPDX-License-Identifier: Apache-2.0

// Types and default values of attributes as Xcode writes them.

import FoundationEssentials
import Predicates

extension AttributeType {
    /// The type of a name, without the name of a composite or transformer.
    init?(contents name: String) {
        switch name {
        case "Composite": self = .composite("")
        case "ObjectID": self = .objectID
        default:
            guard let type = Self.named.first(where: { $0.type.contentsName == name }) else { return nil }
            self = type.type
        }
    }

    var contentsName: String {
        switch self {
        case .int16: "Integer 16"
        case .int32: "Integer 32"
        case .int64: "Integer 64"
        case .bool: "Boolean"
        case .composite: "Composite"
        case .objectID: "Object ID"
        case .decimal, .double, .float, .string, .date, .binary, .uuid, .uri, .transformable, .undefined: name
        }
    }

    /// Whether the format can express default values of this type.
    var hasContentsValue: Bool {
        switch self {
        case .transformable, .composite, .objectID, .undefined: false
        default: true
        }
    }

    func value(contents text: String) -> Value? {
        switch self {
        case .int16: Int64(wholeNumber: text).flatMap(Int16.init(exactly:)).map { .integer(Int64($0)) }
        case .int32: Int64(wholeNumber: text).flatMap(Int32.init(exactly:)).map { .integer(Int64($0)) }
        case .int64: Int64(wholeNumber: text).map(Value.integer)
        case .decimal: Decimal(strictly: text).map(Value.decimal)
        case .double, .float: Double(strictly: text).map(Value.double)
        case .string: .string(text)
        case .bool: (Bool(contents: text) ?? Double(strictly: text).map { $0 != 0 }).map(Value.bool)
        case .date: Double(strictly: text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .binary: Data(base64Encoded: text).map(Value.data)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: .uri(text)
        case .transformable, .composite, .objectID, .undefined: nil
        }
    }
}

extension Value {
    /// The text of an attribute's value, or nil if the XML can't express it.
    var contentsText: String? {
        switch self {
        case .bool(let value): value ? "YES" : "NO"
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? "\(value)" : nil
        case .decimal(let value): value.isNaN ? nil : value.contentsText
        case .string(let text), .uri(let text): text
        case .date(let date): date.timeIntervalSinceReferenceDate.shortText
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .null, .reference, .array, .dictionary: nil
        }
    }
}

extension Bool {
    init?(contents text: String) {
        switch text.lowercased() {
        case "yes", "true", "1": self = true
        case "no", "false", "0": self = false
        default: return nil
        }
    }

    /// `YES`, or nil to leave the attribute out.
    var contentsYes: String? { self ? "YES" : nil }
}

extension Double {
    /// Parses a finite decimal number; rejects `inf` and hexadecimal digits.
    init?(strictly text: String) {
        guard text.isNumber, let value = Double(text), value.isFinite else { return nil }
        self = value
    }

    /// The shortest text, without a zero fraction, or nil if the number isn't finite.
    fileprivate var shortText: String? {
        isFinite ? Int64(exactly: self).map(String.init) ?? "\(self)" : nil
    }
}

extension Decimal {
    /// The number with a fraction, even if it is zero, as Xcode writes most of them.
    fileprivate var contentsText: String {
        description.contains(".") ? description : description + ".0"
    }

    init?(strictly text: String) {
        guard text.isNumber, let value = Decimal(string: text) else { return nil }
        self = value
    }
}

extension Int64 {
    /// Parses a whole number, which may have a zero fraction.
    init?(wholeNumber text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || !parts[1].isEmpty && parts[1].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            return nil
        }
        self.init(parts[0])
    }
}

extension String {
    /// Whether it is a decimal number in the syntax of Swift, C and JSON, optionally signed.
    fileprivate var isNumber: Bool {
        let digits = utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return !digits.isEmpty && Double(self) != nil && utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
    }
}
