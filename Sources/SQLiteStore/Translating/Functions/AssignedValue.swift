// SPDX-License-Identifier: Apache-2.0

// What an attribute makes of a computed value, or why it can't have it.

import FoundationEssentials
import ObjectModel
import Predicates
import SQLiteDriver

/// A computed value as an attribute's column holds it, by the rules of batch updates in memory.
enum AssignedValue {
    /// The letter by which statements name the types that convert what is computed.
    static func letter(_ type: AttributeType) -> Character? {
        switch type {
        case .int16: "2"
        case .int32: "4"
        case .int64: "8"
        case .float: "f"
        case .double: "d"
        case .decimal: "c"
        case .bool: "b"
        default: nil
        }
    }

    static func stored(_ value: Value, letter: Character) throws -> SQLValue {
        if value == .null { return .null }
        guard let stored = number(value, letter) else {
            throw StoreError(.unsupportedValue, "A computed value, \(value), is none that the attribute can have.")
        }
        return stored
    }

    private static func number(_ value: Value, _ letter: Character) -> SQLValue? {
        switch letter {
        case "2": integer(value).flatMap { Int16(exactly: $0) }.map { .integer(Int64($0)) }
        case "4": integer(value).flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) }
        case "8": integer(value).map(SQLValue.integer)
        case "b": truth(value).map { .integer($0 ? 1 : 0) }
        case "d": double(value).map(SQLValue.real)
        case "f": float(value).map { .real(Double($0)) }
        case "c": decimal(value).map(ValueEncoding.encoded)
        default: nil
        }
    }

    private static func integer(_ value: Value) -> Int64? {
        switch value {
        case .integer(let number): number
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): Int64(number.description)
        default: nil
        }
    }

    private static func truth(_ value: Value) -> Bool? {
        if case .bool(let flag) = value { return flag }
        return switch integer(value) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number.isNaN ? nil : number
        case .decimal(let number): Double(number.description)
        default: nil
        }
    }

    /// What is too large for a float would become infinite.
    private static func float(_ value: Value) -> Float? {
        switch value {
        case .integer(let number): return Float(number)
        case .double(let number):
            let float = Float(number)
            return number.isNaN || float.isInfinite && number.isFinite ? nil : float
        case .decimal(let number): return Float(number.description)
        default: return nil
        }
    }

    private static func decimal(_ value: Value) -> Decimal? {
        switch value {
        case .integer(let number): return Decimal(number)
        case .double(let number):
            let decimal = number.isFinite ? Decimal(number) : .nan
            return decimal.isNaN ? nil : decimal
        case .decimal(let number): return number.isNaN ? nil : number
        default: return nil
        }
    }
}
