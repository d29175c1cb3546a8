// SPDX-License-Identifier: Apache-2.0

// The types whose values a migration converts, since each has its counterpart in the new type.

import FoundationEssentials
package import Predicates

extension AttributeType {
    /// Whether each value of this type is converted to another type, and two different values to two different ones.
    public func isConvertible(to other: AttributeType) -> Bool {
        switch (self, other) {
        case (.transformable, .transformable): true
        case (.int16, .int32), (.int16, .int64), (.int32, .int64): true
        case (.bool, .int16), (.bool, .int32), (.bool, .int64): true
        case (.int16, .float), (.int16, .double), (.int32, .double), (.float, .double): true
        case (.int16, .decimal), (.int32, .decimal), (.int64, .decimal): true
        case (.int16, .string), (.int32, .string), (.int64, .string), (.uuid, .string), (.uri, .string): true
        default: self == other
        }
    }

    /// The counterpart in another type of a value of this type; nil if there is none.
    package func converted(_ value: Value, to other: AttributeType) -> Value? {
        switch (value, other) {
        case (.null, _): .null
        case (.bool(let flag), .int16), (.bool(let flag), .int32), (.bool(let flag), .int64): .integer(flag ? 1 : 0)
        case (.integer(let number), .string): .string(String(number))
        case (.uuid(let uuid), .string): .string(uuid.uuidString)
        case (.uri(let uri), .string): .string(uri)
        default: other.accepting(value)
        }
    }
}
