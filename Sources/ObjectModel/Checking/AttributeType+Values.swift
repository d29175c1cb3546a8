// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Predicates

extension AttributeType {
    var isNumeric: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }

    /// Why a value doesn't fit this type, as the end of a sentence that begins with the value.
    func mismatch(with value: Value) -> String? {
        let fits =
            switch (self, value) {
            case (.int16, .integer(let number)): Int16(exactly: number) != nil
            case (.int32, .integer(let number)): Int32(exactly: number) != nil
            case (.int64, .integer), (.decimal, .integer), (.decimal, .decimal), (.decimal, .double): true
            case (.double, .integer), (.double, .double), (.double, .decimal): true
            case (.float, .integer), (.float, .decimal): true
            case (.float, .double(let number)): !number.isFinite || Float(number).isFinite
            case (.bool, .bool), (.bool, .integer(0...1)): true
            case (.string, .string), (.uri, .uri), (.date, .date), (.binary, .data), (.uuid, .uuid): true
            case (.transformable, _), (.undefined, _), (.composite, .dictionary), (.objectID, .reference): true
            default: false
            }
        if fits { return nil }
        switch (self, value) {
        case (.int16, .integer), (.int32, .integer), (.float, .double): return "is out of range for \(name)"
        default: return "isn't a valid \(name)"
        }
    }
}

extension Value {
    /// Whether both can be ordered and this one is greater.
    func isAbove(_ other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one > other
        case (.date(let one), .date(let other)): one > other
        default:
            if let one = decimal, let other = other.decimal { one > other } else { false }
        }
    }

    private var decimal: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .double(let number) where number.isFinite: Decimal(number)
        case .decimal(let number) where !number.isNaN: number
        default: nil
        }
    }
}
