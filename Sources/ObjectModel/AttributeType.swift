// SPDX-License-Identifier: Apache-2.0

// The closed set of types that attributes have.

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
    /// Any value that a transformer can turn into bytes and back; without a name, any JSON.
    case transformable(transformer: String?)
    /// The attributes of the composite of this name.
    case composite(String)
    /// The identity of an object.
    case objectID
    /// No type at all, which only a transient attribute may have.
    case undefined

    /// The types that have nothing but a name, by the name that the JSON format gives them.
    public static let named: [(name: String, type: AttributeType)] = [
        ("Int16", .int16), ("Int32", .int32), ("Int64", .int64), ("Decimal", .decimal), ("Double", .double),
        ("Float", .float), ("String", .string), ("Bool", .bool), ("Date", .date), ("Binary", .binary),
        ("UUID", .uuid), ("URI", .uri), ("Transformable", .transformable(transformer: nil)),
        ("ObjectID", .objectID), ("Undefined", .undefined),
    ]

    /// The type's name for people, and in the JSON format: `Int64`, `Transformable`, or the composite's own.
    public var name: String {
        switch self {
        case .transformable: "Transformable"
        case .composite(let name): name
        default: Self.named.first { $0.type == self }?.name ?? "Undefined"
        }
    }

    /// The composite's name, if it is one.
    public var compositeName: String? {
        if case .composite(let name) = self { name } else { nil }
    }

    /// The transformer's name, if it is transformable and names one.
    public var transformerName: String? {
        if case .transformable(let transformer) = self { transformer } else { nil }
    }
}
