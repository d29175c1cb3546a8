// SPDX-License-Identifier: Apache-2.0

// The columns of entity tables, and the encoding of values in them.

import ObjectGraph
import ObjectModel

/// A column of an entity's table.
struct Column: Hashable, Sendable {
    /// The declared type, which determines SQLite's conversion of written values.
    enum Declaration: String, Hashable, Sendable {
        case integer = "INTEGER"
        case float = "FLOAT"
        case timestamp = "TIMESTAMP"
        case decimal = "DECIMAL"
        case varchar = "VARCHAR"
        case blob = "BLOB"
    }

    var name: String
    let declaration: Declaration
}

/// The encoding of an attribute's values in a column.
enum ValueEncoding: Hashable, Sendable {
    case integer
    case bool
    case double
    case date
    case decimal
    case string
    case uri
    case uuid
    case data
    /// A mark, followed by the value or by the name of a separate file.
    case externalData
    case transformable(TransformedValue.Transformer)
    /// An object's URI.
    case reference

    /// Nil for composites, since each element has columns of its own.
    init?(_ attribute: AttributeDescription) {
        switch attribute.type {
        case .int16, .int32, .int64: self = .integer
        case .bool: self = .bool
        case .double, .float: self = .double
        case .date: self = .date
        case .decimal: self = .decimal
        case .string: self = .string
        case .uri: self = .uri
        case .uuid: self = .uuid
        case .binary: self = attribute.attribute.allowsExternalStorage ? .externalData : .data
        case .transformable: self = .transformable(TransformedValue.Transformer(attribute))
        case .objectID: self = .reference
        case .composite, .undefined: return nil
        }
    }

    var declaration: Column.Declaration {
        switch self {
        case .integer, .bool: .integer
        case .double: .float
        case .date: .timestamp
        case .decimal: .decimal
        case .string, .uri, .reference: .varchar
        case .uuid, .data, .externalData, .transformable: .blob
        }
    }

    /// The position of the column's type in a new table: Core Data groups columns by type.
    var group: Int {
        switch self {
        case .integer, .bool: 0
        case .double, .date: 1
        case .decimal: 2
        case .string, .reference: 3
        case .uri: 4
        case .uuid: 5
        case .transformable: 6
        case .data, .externalData: 7
        }
    }
}

/// The columns of an attribute, as indexes of its table's columns.
indirect enum AttributeColumns: Sendable {
    /// A transient attribute.
    case none
    case value(Int, ValueEncoding)
    /// Each element has its own columns. A presence column, if the table has one, distinguishes a
    /// composite of nils from nil.
    case composite(presence: Int?, [(element: AttributeDescription, columns: AttributeColumns)])
}

/// The columns of a to-one relationship, as indexes of its table's columns.
struct ToOneColumns: Hashable, Sendable {
    /// The destination's key.
    let key: Int
    /// The number of the destination's entity, if several are possible.
    let entity: Int?
    /// The order value among the members of the inverse, if that is ordered.
    let order: Int?
}
