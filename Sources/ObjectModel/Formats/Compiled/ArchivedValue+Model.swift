// SPDX-License-Identifier: Apache-2.0

// Conversions between values of archives and of models.

import FoundationEssentials
import Predicates
import PropertyList

extension ArchivedValue {
    /// The value as one of a model; nil for objects and nested lists.
    var modelValue: Value? {
        switch self {
        case .array(let members), .set(let members):
            // The limits bound the work: as many members as a predicate may have, and no nested lists.
            guard members.count <= 100_000 else { return nil }
            var values: [Value] = []
            for member in members {
                guard let value = member.scalar else { return nil }
                values.append(value)
            }
            return .array(values)
        default: return scalar
        }
    }

    private var scalar: Value? {
        switch self {
        case .null: .null
        case .boolean(let value): .bool(value)
        case .integer(let value):
            Int64(exactly: value).map(Value.integer) ?? Decimal(string: "\(value)").map(Value.decimal)
        case .real(let value): .double(value)
        case .decimal(let value): Decimal(string: "\(value)").map(Value.decimal)
        case .string(let text): .string(text)
        case .data(let bytes): .data(Data(bytes))
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let bytes): .uuid(UUID(bytes: bytes))
        case .url(let text): .uri(text)
        case .array, .set, .dictionary, .object: nil
        }
    }
}

extension AttributeType {
    /// The value converted to this type, or nil if it can't be.
    func value(compiled value: Value) -> Value? {
        let fitting: Value? =
            switch (self, value) {
            case (.bool, .integer(let number)): .bool(number != 0)
            case (.int16, .bool(let flag)), (.int32, .bool(let flag)), (.int64, .bool(let flag)): .integer(flag ? 1 : 0)
            case (.int16, .double(let number)), (.int32, .double(let number)), (.int64, .double(let number)):
                Int64(exactly: number).map(Value.integer)
            case (.double, .integer(let number)), (.float, .integer(let number)): .double(Double(number))
            case (.decimal, .integer(let number)): .decimal(Decimal(number))
            case (.decimal, .double(let number)):
                number.isFinite ? Decimal(string: "\(number)").map(Value.decimal) : nil
            case (.uri, .string(let text)): .uri(text)
            case (.transformable, _), (.undefined, _), (.composite, _), (.objectID, _): nil
            default: value
            }
        return fitting.flatMap { mismatch(with: $0) == nil ? $0 : nil }
    }
}

extension UUID {
    fileprivate init(bytes: [UInt8]) {
        self =
            bytes.count == 16
            ? UUID(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                    bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                )
            ) : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
