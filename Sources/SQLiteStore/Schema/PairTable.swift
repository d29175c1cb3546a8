// SPDX-License-Identifier: Apache-2.0

// Where relationships stand that are to many on both sides, or have no inverse.

import ObjectGraph

/// The table of the pairs of a relationship and its inverse.
struct PairTable: Hashable, Sendable {
    /// One end of the pairs: the column with the keys of its objects, and the one with the places that these have among the
    /// members of an object at the other end.
    struct End: Hashable, Sendable {
        var key: String
        var order: String?
    }

    var name: String
    /// The end of the objects that have the relationship which the table is named for.
    var owner: End
    var member: End
    /// A relationship that is its own inverse has each pair both ways round.
    let isReflexive: Bool
    /// Whether the table is that of the members themselves, and the owner's key a column of it. So Core Data keeps
    /// relationships without an inverse, whose members have one owner then.
    var isColumn = false
}

/// A to-many relationship as one of its ends sees it.
struct PairsView: Hashable, Sendable {
    let table: PairTable
    /// Whether the relationship is the one that the table is named for.
    let isOwner: Bool

    /// The column of the objects whose members are asked for.
    var own: PairTable.End { isOwner ? table.owner : table.member }
    var other: PairTable.End { isOwner ? table.member : table.owner }

    /// The pairs as the other end sees them.
    var reversed: PairsView { PairsView(table: table, isOwner: !isOwner) }
}
