// SPDX-License-Identifier: Apache-2.0
// A JSON value with its position in the text.

public import SourceText

/// A JSON value that keeps the order of members, the digits of numbers, and its position in the text.
///
/// ```swift
/// let value: JSONValue = ["name": "Color", "indexes": [["hex"]], "order": 3]
/// value["name"]?.string  // "Color"
/// ```
///
/// Switch over `kind` to distinguish values; the accessors named like its cases return nil for other kinds.
public struct JSONValue: Sendable {
    public enum Kind: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONValue])
        case object(JSONObject)
    }

    public var kind: Kind
    /// The position of values that were read; ignored by equality.
    public var position: TextPosition?

    public init(_ kind: Kind, position: TextPosition? = nil) {
        self.kind = kind
        self.position = position
    }

    public static let null = JSONValue(.null)

    public static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    public static func number(_ value: JSONNumber) -> JSONValue { JSONValue(.number(value)) }

    public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

    /// The number in its shortest form, or nil for NaN and the infinities.
    public static func double(_ value: Double) -> JSONValue? { JSONNumber(value).map(JSONValue.number) }

    public static func string(_ value: String) -> JSONValue { JSONValue(.string(value)) }

    public static func array(_ values: [JSONValue]) -> JSONValue { JSONValue(.array(values)) }

    public static func object(_ object: JSONObject) -> JSONValue { JSONValue(.object(object)) }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool { left.kind == right.kind }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
