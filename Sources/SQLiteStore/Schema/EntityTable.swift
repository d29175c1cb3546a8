// SPDX-License-Identifier: Apache-2.0

// The table that a hierarchy of entities shares.

import ObjectGraph
import SQLiteDriver

/// The table of an entity without a parent and of all entities below it.
struct EntityTable: Sendable {
    /// What stands where for objects of one entity.
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
    /// Those after `Z_PK`, `Z_ENT` and `Z_OPT`.
    var columns: [Column]
    /// By the place of the entity in its hierarchy.
    var layouts: [Layout]

    var hasSubentities: Bool { layouts.count > 1 }

    subscript(entity: EntityDescription) -> Layout { layouts[entity.index - root.index] }

    /// The layout for the number that a row has in `Z_ENT`.
    func layout(number: Int64) -> Layout? { layouts.first { $0.number == number } }

    func name(ofColumn place: Int) -> String { columns[place].name }
}

/// The columns that every entity's table has.
enum SystemColumn {
    static let key = "Z_PK"
    static let entity = "Z_ENT"
    static let version = "Z_OPT"

    static let all = [key, entity, version]
}
