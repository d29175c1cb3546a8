// SPDX-License-Identifier: Apache-2.0

// Swift types that can be arguments of predicates.

public import FoundationEssentials

/// A type of values that can replace `%@`, `%K` and `$VARIABLES`.
public protocol ValueConvertible {
    var value: Value { get }
}

extension Value: ValueConvertible {
    public var value: Value { self }
}

extension Bool: ValueConvertible {
    public var value: Value { .bool(self) }
}

extension Int: ValueConvertible {
    public var value: Value { .integer(Int64(self)) }
}

extension Int16: ValueConvertible {
    public var value: Value { .integer(Int64(self)) }
}

extension Int32: ValueConvertible {
    public var value: Value { .integer(Int64(self)) }
}

extension Int64: ValueConvertible {
    public var value: Value { .integer(self) }
}

extension Float: ValueConvertible {
    public var value: Value { .double(Double(self)) }
}

extension Double: ValueConvertible {
    public var value: Value { .double(self) }
}

extension Decimal: ValueConvertible {
    public var value: Value { .decimal(self) }
}

extension String: ValueConvertible {
    public var value: Value { .string(self) }
}

extension Date: ValueConvertible {
    public var value: Value { .date(self) }
}

extension Data: ValueConvertible {
    public var value: Value { .data(self) }
}

extension UUID: ValueConvertible {
    public var value: Value { .uuid(self) }
}

extension URL: ValueConvertible {
    public var value: Value { .uri(absoluteString) }
}

extension ObjectReference: ValueConvertible {
    public var value: Value { .reference(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
    public var value: Value { self?.value ?? .null }
}

extension Array: ValueConvertible where Element: ValueConvertible {
    public var value: Value { .array(map(\.value)) }
}

extension Set: ValueConvertible where Element: ValueConvertible {
    public var value: Value { .array(map(\.value)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
    public var value: Predicates.Value { .dictionary(mapValues(\.value)) }
}
