// SPDX-License-Identifier: Apache-2.0

/// The type of an attribute's values.
public enum AttributeType: Hashable, Sendable {
    case int16
    case int32
    case int64
    case decimal
    case double
    case float
    case string
    case bool
    case date
    case binary
    case uuid
    case uri
    /// Any value that a transformer converts to bytes and back; without a transformer, any JSON value.
    case transformable(transformer: String?)
    /// The attributes of the named composite.
    case composite(String)
    /// The identity of an object.
    case objectID
    /// No type; allowed only for transient attributes.
    case undefined

    /// The types that are fully described by their name, by their names in the JSON format.
    public static let named: [(name: String, type: AttributeType)] = [
        ("Int16", .int16), ("Int32", .int32), ("Int64", .int64), ("Decimal", .decimal), ("Double", .double),
        ("Float", .float), ("String", .string), ("Bool", .bool), ("Date", .date), ("Binary", .binary),
        ("UUID", .uuid), ("URI", .uri), ("Transformable", .transformable(transformer: nil)),
        ("ObjectID", .objectID), ("Undefined", .undefined),
    ]

    /// The name for messages and for the JSON format: `Int64`, `Transformable`, or the composite's name.
    public var name: String {
        switch self {
        case .transformable: "Transformable"
        case .composite(let name): name
        default: Self.named.first { $0.type == self }?.name ?? "Undefined"
        }
    }

    /// The composite's name, if the type is a composite.
    public var compositeName: String? {
        if case .composite(let name) = self { name } else { nil }
    }

    /// The transformer's name, if the type is transformable and names one.
    public var transformerName: String? {
        if case .transformable(let transformer) = self { transformer } else { nil }
    }
}
