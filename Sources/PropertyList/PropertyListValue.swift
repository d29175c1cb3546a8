// SPDX-License-Identifier: Apache-2.0

// Values of property lists, independent of their format.

/// A property list, or a value in one.
///
///     let list = try PropertyListValue(parsing: bytes)
///     list["NSStoreType"]?.string  // "SQLite"
package enum PropertyListValue: Hashable, Sendable {
    case dictionary(PropertyListDictionary)
    case array([PropertyListValue])
    case string(String)
    case data([UInt8])
    /// Seconds since 2001, in UTC.
    case date(Double)
    /// Wide enough for all integers of property lists: signed ones of up to 64 bits and unsigned ones of 64 bits. Boxed, so
    /// that other values take less memory.
    indirect case integer(Int128)
    case real(Double)
    case boolean(Bool)
    /// A reference to an object in a keyed archive.
    case uid(UInt64)
}

extension PropertyListValue {
    package var dictionary: PropertyListDictionary? { if case .dictionary(let value) = self { value } else { nil } }
    package var array: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }
    package var date: Double? { if case .date(let value) = self { value } else { nil } }
    package var real: Double? { if case .real(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var uid: UInt64? { if case .uid(let value) = self { value } else { nil } }

    /// The integer, if it fits into a type.
    package func integer<T: FixedWidthInteger>(_ type: T.Type = Int.self) -> T? {
        if case .integer(let value) = self { T(exactly: value) } else { nil }
    }

    /// The value of a key, if this is a dictionary that has it.
    package subscript(_ key: String) -> PropertyListValue? { dictionary?[key] }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(PropertyListDictionary(elements))
    }
}
