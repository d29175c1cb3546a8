// SPDX-License-Identifier: Apache-2.0

// Values on their way out of columns, as Core Data and others may have written them.

import FoundationEssentials
import Predicates
import SQLiteDriver

extension ValueEncoding {
    /// The value that a column of a row has. What can't be a value of the type is nil, as in a store of Core Data's own.
    func value(_ row: Statement, _ column: Int32) -> Value {
        let type = row.columnType(column)
        if type == .null { return .null }
        switch self {
        case .integer: return .integer(row.int64(column))
        case .bool: return .bool(row.int64(column) != 0)
        case .double:
            let number = row.double(column)
            return number.isNaN ? .null : .double(number)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: row.double(column)))
        case .decimal: return Self.decimal(row, column, type)
        case .string: return .string(row.string(column))
        case .uri: return .uri(row.string(column))
        case .reference: return .reference(ObjectReference(uri: row.string(column)))
        case .uuid:
            let uuid = type == .text ? UUID(uuidString: row.string(column)) : UUID(bytes: row.bytes(column))
            return uuid.map(Value.uuid) ?? .null
        case .data: return .data(Data(row.bytes(column)))
        case .externalData: return Self.inlineData(row.bytes(column))
        case .transformable: return TransformedValue.value(of: row.bytes(column))
        }
    }

    /// The same of a value that was read already.
    func value(_ stored: SQLValue) -> Value {
        switch (self, stored) {
        case (_, .null): .null
        case (.integer, .integer(let number)): .integer(number)
        case (.integer, .real(let number)): .integer(Int64(exactly: number.rounded(.towardZero)) ?? 0)
        case (.bool, .integer(let number)): .bool(number != 0)
        case (.double, .real(let number)): number.isNaN ? .null : .double(number)
        case (.double, .integer(let number)): .double(Double(number))
        case (.date, .real(let number)): .date(Date(timeIntervalSinceReferenceDate: number))
        case (.date, .integer(let number)): .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case (.decimal, _): Self.decimal(stored)
        case (.string, .text(let text)): .string(text)
        case (.uri, .text(let text)): .uri(text)
        case (.reference, .text(let text)): .reference(ObjectReference(uri: text))
        case (.uuid, .blob(let bytes)): UUID(bytes: bytes).map(Value.uuid) ?? .null
        case (.data, .blob(let bytes)): .data(Data(bytes))
        case (.externalData, .blob(let bytes)): Self.inlineData(bytes)
        case (.transformable, .blob(let bytes)): TransformedValue.value(of: bytes)
        default: .null
        }
    }

    private static func decimal(_ row: Statement, _ column: Int32, _ type: SQLType) -> Value {
        type == .integer ? .decimal(Decimal(row.int64(column))) : decimal(row.value(column))
    }

    private static func decimal(_ stored: SQLValue) -> Value {
        let decimal: Decimal? =
            switch stored {
            case .integer(let number): Decimal(number)
            // The shortest digits that stand for the number are those that were meant.
            case .real(let number): number.isFinite ? Decimal(string: number.description) : nil
            case .text(let text): Decimal(string: text)
            case .blob(let bytes): Decimal(string: String(decoding: bytes, as: UTF8.self))
            case .null: nil
            }
        return decimal.map(Value.decimal) ?? .null
    }

    private static func inlineData(_ bytes: [UInt8]) -> Value {
        bytes.first == ExternalDataMark.inline ? .data(Data(bytes.dropFirst())) : .null
    }
}
