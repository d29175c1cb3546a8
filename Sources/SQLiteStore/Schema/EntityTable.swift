// SPDX-License-Identifier: Apache-2.0

// The table of an entity hierarchy.

import ObjectGraph
import SQLiteDriver

/// The table of a root entity and its subentities.
struct EntityTable: Sendable {
    /// The columns of one entity's properties.
    struct Layout: Sendable {
        let entity: EntityDescription
        let number: Int64
        /// By slot.
        var attributes: [AttributeColumns]
        /// By slot; nil for a transient relationship.
        var toOnes: [ToOneColumns?]
    }

    let name: String
    let root: EntityDescription
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`.
    var columns: [Column]
    /// By the index of the entity in its hierarchy.
    var layouts: [Layout]

    var hasSubentities: Bool { layouts.count > 1 }

    subscript(entity: EntityDescription) -> Layout { layouts[entity.index - root.index] }

    /// The layout for a number in `Z_ENT`.
    func layout(number: Int64) -> Layout? { layouts.first { $0.number == number } }

    func name(ofColumn place: Int) -> String { columns[place].name }
}

/// The columns that each entity table has.
enum SystemColumn {
    static let key = "Z_PK"
    static let entity = "Z_ENT"
    static let version = "Z_OPT"

    static let all = [key, entity, version]
}
