// SPDX-License-Identifier: Apache-2.0

// Encodes values for columns, as Core Data does.

import FoundationEssentials
import Predicates
import SQLiteDriver

extension ValueEncoding {
    /// The column's form of a value, or nil if the value has another type. Doesn't decide whether a
    /// value is put into a file.
    func encoded(_ value: Value) -> SQLValue? {
        switch (self, value) {
        case (_, .null): .null
        case (.integer, .integer(let number)): .integer(number)
        case (.bool, .bool(let flag)): .integer(flag ? 1 : 0)
        case (.double, .double(let number)): .real(number)
        // An infinite date would be read as nil.
        case (.date, .date(let date)) where date.timeIntervalSinceReferenceDate.isFinite:
            .real(date.timeIntervalSinceReferenceDate)
        case (.decimal, .decimal(let number)): Self.encoded(number)
        case (.string, .string(let text)), (.uri, .uri(let text)): .text(text)
        case (.reference, .reference(let reference)): .text(reference.uri)
        case (.uuid, .uuid(let uuid)): .blob(uuid.bytes)
        case (.data, .data(let data)): .blob([UInt8](data))
        case (.externalData, .data(let data)): .blob([ExternalDataMark.inline] + [UInt8](data))
        case (.transformable(let transformer), _): .blob(TransformedValue.bytes(of: value, by: transformer))
        default: nil
        }
    }

    /// A decimal as a number if the number identifies it exactly. Other decimals are blobs of digits, since the
    /// column's affinity would round text to a number; SQLite can still cast them to text or to a number.
    static func encoded(_ decimal: Decimal) -> SQLValue {
        let digits = decimal.description
        if let integer = Int64(digits) { return .integer(integer) }
        if let double = Double(digits), double.isFinite, Decimal(string: double.description) == decimal {
            return .real(double)
        }
        return .blob([UInt8](digits.utf8))
    }
}

/// The first byte of a value that may be in a separate file.
enum ExternalDataMark {
    /// The value follows.
    static let inline: UInt8 = 1
    /// The file's name follows, and a zero byte.
    static let file: UInt8 = 2
}

extension UUID {
    var bytes: [UInt8] {
        let uuid = uuid
        return [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7,
            uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ]
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}
