// SPDX-License-Identifier: Apache-2.0

// The Swift types of typed properties, and their conversion to values and back.

public import FoundationEssentials
public import Predicates

/// A type that a typed attribute can have.
///
/// An enum with raw values conforms by defining its absent value:
///
///     enum Status: String, AttributeValue {
///         case draft, published
///         static let absent = Status.draft
///     }
public protocol AttributeValue: ValueConvertible, Sendable {
    /// The type without its optionality.
    associatedtype Unwrapped: AttributeValue = Self

    /// Converts a value that isn't null; nil if it isn't of this type.
    init?(attributeValue: Value)

    /// The value of a property that is null: zero, the empty text, nil.
    static var absent: Self { get }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public typealias Unwrapped = Wrapped

    public init?(attributeValue: Value) {
        guard let wrapped = Wrapped(attributeValue: attributeValue) else { return nil }
        self = .some(wrapped)
    }

    public static var absent: Self { .none }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    public var value: Value { rawValue.value }

    public init?(attributeValue: Value) {
        guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension AttributeValue where Self: FixedWidthInteger {
    public init?(attributeValue: Value) {
        guard case .integer(let number) = attributeValue else { return nil }
        self.init(exactly: number)
    }

    public static var absent: Self { 0 }
}

extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}
extension Int: AttributeValue {}

extension AttributeValue where Self: BinaryFloatingPoint {
    public init?(attributeValue: Value) {
        guard case .double(let number) = attributeValue else { return nil }
        self.init(number)
    }

    public static var absent: Self { 0 }
}

extension Float: AttributeValue {}
extension Double: AttributeValue {}

extension Decimal: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .decimal(let number) = attributeValue else { return nil }
        self = number
    }

    public static var absent: Decimal { 0 }
}

extension Bool: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .bool(let value) = attributeValue else { return nil }
        self = value
    }

    public static var absent: Bool { false }
}

extension String: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .string(let text) = attributeValue else { return nil }
        self = text
    }

    public static var absent: String { "" }
}

extension Date: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .date(let date) = attributeValue else { return nil }
        self = date
    }

    /// The reference date, the beginning of 2001.
    public static var absent: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .data(let data) = attributeValue else { return nil }
        self = data
    }

    public static var absent: Data { Data() }
}

extension UUID: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .uuid(let uuid) = attributeValue else { return nil }
        self = uuid
    }

    public static var absent: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .uri(let text) = attributeValue else { return nil }
        self.init(string: text)
    }

    public static var absent: URL { URL(filePath: "/dev/null") }
}

extension ObjectReference: AttributeValue {
    public init?(attributeValue: Value) {
        guard case .reference(let reference) = attributeValue else { return nil }
        self = reference
    }

    public static var absent: ObjectReference { ObjectReference(uri: "") }
}

/// Transformable attributes hold values as they are.
extension Value: AttributeValue {
    public init?(attributeValue: Value) { self = attributeValue }

    public static var absent: Value { .null }
}
