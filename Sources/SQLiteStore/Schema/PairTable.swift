// SPDX-License-Identifier: Apache-2.0

// Tables of pairs, for many-to-many relationships and those without an inverse.

import ObjectGraph

/// The table of a relationship's pairs, which its inverse shares.
struct PairTable: Hashable, Sendable {
    /// One end of the pairs: the column of its objects' keys, and the column of their order values among the members of
    /// the object at the other end.
    struct End: Hashable, Sendable {
        var key: String
        var order: String?
    }

    var name: String
    /// The end with the owners of the relationship that the table is named after.
    var owner: End
    var member: End
    /// Whether the relationship is its own inverse, so that each pair is stored in both directions.
    let isReflexive: Bool
    /// Whether the table is the members' own table and the owner's key is one of its columns: Core Data's form of a
    /// relationship without an inverse, which allows each member one owner.
    var isColumn = false
}

/// The pairs of a to-many relationship, seen from one end.
struct PairsView: Hashable, Sendable {
    let table: PairTable
    /// Whether the table is named after this relationship.
    let isOwner: Bool

    /// The end of the relationship's owners.
    var own: PairTable.End { isOwner ? table.owner : table.member }
    var other: PairTable.End { isOwner ? table.member : table.owner }

    /// The pairs seen from the other end.
    var reversed: PairsView { PairsView(table: table, isOwner: !isOwner) }
}
