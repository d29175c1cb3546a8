// SPDX-License-Identifier: Apache-2.0

// The columns of entity tables, and which values stand in them.

import ObjectGraph
import ObjectModel

/// A column of an entity's table.
struct Column: Hashable, Sendable {
    /// What it is declared as, which says how SQLite converts what is written.
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

/// How the values of an attribute stand in a column.
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
    /// Bytes with a first byte that says whether they are all there, or in a file of their own.
    case externalData
    case transformable(TransformedValue.Transformer)
    /// An object's URI.
    case reference

    /// Nil for what no column can hold: composites have one for each of their elements.
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

    /// Where a new table has the column: Core Data puts columns of a kind together.
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

/// The columns of an attribute, as places among those of its table.
indirect enum AttributeColumns: Sendable {
    /// A transient attribute has none.
    case none
    case value(Int, ValueEncoding)
    /// Each element has its own; a further one, if the table has it, tells a composite of nothing but nil from none at all.
    case composite(presence: Int?, [(element: AttributeDescription, columns: AttributeColumns)])
}

/// The columns of a to-one relationship, as places among those of its table.
struct ToOneColumns: Hashable, Sendable {
    /// The destination's key.
    let key: Int
    /// The number of the destination's own entity, where there are several.
    let entity: Int?
    /// The place among the members of the inverse, where that is ordered.
    let order: Int?
}
