// SPDX-License-Identifier: Apache-2.0

// Decodes values from columns, as Core Data and other programs may have written them.

import FoundationEssentials
import Predicates
import SQLiteDriver

extension ValueEncoding {
    func value(_ row: Statement, _ column: Int32) -> Value { value(row.value(column)) }

    /// The value in a column. It is null if the content can't be converted to the type, as in Core Data.
    func value(_ stored: SQLValue) -> Value {
        switch (self, stored) {
        case (_, .null): .null
        case (.integer, .integer(let number)): .integer(number)
        case (.integer, .real(let number)):
            Int64(exactly: number.rounded(.towardZero)).map(Value.integer) ?? .null
        case (.bool, .integer(let number)): .bool(number != 0)
        case (.bool, .real(let number)): .bool(number != 0)
        case (.double, .real(let number)): number.isNaN ? .null : .double(number)
        case (.double, .integer(let number)): .double(Double(number))
        case (.date, .real(let number)):
            number.isFinite ? .date(Date(timeIntervalSinceReferenceDate: number)) : .null
        case (.date, .integer(let number)): .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case (.decimal, _): Self.decimal(stored).map(Value.decimal) ?? .null
        case (.string, _): stored.text.map(Value.string) ?? .null
        case (.uri, _): stored.text.map(Value.uri) ?? .null
        case (.reference, _): stored.text.map { .reference(ObjectReference(uri: $0)) } ?? .null
        case (.uuid, .blob(let bytes)): UUID(bytes: bytes).map(Value.uuid) ?? .null
        case (.uuid, .text(let text)): UUID(uuidString: text).map(Value.uuid) ?? .null
        case (.data, _): stored.bytes.map { .data(Data($0)) } ?? .null
        case (.externalData, _): stored.bytes.map(Self.inlineData) ?? .null
        case (.transformable(let transformer), _):
            stored.bytes.map { TransformedValue.value(of: $0, by: transformer) } ?? .null
        case (.integer, _), (.bool, _), (.double, _), (.date, _), (.uuid, _): .null
        }
    }

    private static func decimal(_ stored: SQLValue) -> Decimal? {
        switch stored {
        case .integer(let number): Decimal(number)
        // The shortest digits that identify the number are the intended ones.
        case .real(let number): number.isFinite ? Decimal(string: number.description) : nil
        case .text, .blob: stored.text.flatMap { Decimal(string: $0) }
        case .null: nil
        }
    }

    private static func inlineData(_ bytes: [UInt8]) -> Value {
        bytes.first == ExternalDataMark.inline ? .data(Data(bytes.dropFirst())) : .null
    }
}

extension SQLValue {
    /// The content of a text column, including bytes stored in it. Its affinity converts numbers to text.
    fileprivate var text: String? {
        switch self {
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        case .null, .integer, .real: nil
        }
    }

    /// The content of a blob column, including text stored in it.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .blob(let bytes): bytes
        case .text(let text): [UInt8](text.utf8)
        case .null, .integer, .real: nil
        }
    }
}
