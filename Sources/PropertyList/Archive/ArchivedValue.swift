// SPDX-License-Identifier: Apache-2.0

// Values of an archive. Objects of Foundation's classes are unwrapped.

/// A value in a keyed archive.
package enum ArchivedValue: Sendable {
    /// Nil, `NSNull`, or a reference to a missing object.
    case null
    case boolean(Bool)
    case integer(Int128)
    case real(Double)
    case decimal(ArchivedDecimal)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001, in UTC.
    case date(Double)
    /// Sixteen bytes.
    case uuid([UInt8])
    case url(String)
    case array(ArchivedList)
    case set(ArchivedList)
    case dictionary(ArchivedDictionary)
    /// An object of any other class.
    case object(ArchivedObject)
}

extension ArchivedValue {
    package var isNull: Bool { if case .null = self { true } else { false } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var object: ArchivedObject? { if case .object(let value) = self { value } else { nil } }
    package var dictionary: ArchivedDictionary? { if case .dictionary(let value) = self { value } else { nil } }

    /// The members of an array or a set.
    package var members: ArchivedList? {
        switch self {
        case .array(let members), .set(let members): members
        default: nil
        }
    }

    /// A Boolean, also if it was archived as a number.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }

    /// The integer, if it fits into a type.
    package func integer<T: FixedWidthInteger>(_ type: T.Type = Int.self) -> T? {
        switch self {
        case .integer(let value): T(exactly: value)
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }
}

/// The members of an archived array or set, each resolved on access.
package struct ArchivedList: RandomAccessCollection, Sendable {
    let archive: KeyedArchive
    let values: [PropertyListValue]

    package var startIndex: Int { values.startIndex }
    package var endIndex: Int { values.endIndex }

    package subscript(position: Int) -> ArchivedValue { archive.value(values[position]) }
}

/// The entries of an archived dictionary, with keys of any kind.
package struct ArchivedDictionary: RandomAccessCollection, Sendable {
    let keys: ArchivedList
    let values: ArchivedList

    package var startIndex: Int { 0 }
    package var endIndex: Int { Swift.min(keys.count, values.count) }

    package subscript(position: Int) -> (key: ArchivedValue, value: ArchivedValue) {
        (keys[position], values[position])
    }
}
