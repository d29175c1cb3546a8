// SPDX-License-Identifier: Apache-2.0

// Related rows that are only shown, joined to their owners by indexes.

/// The objects that a relationship leads to from each row of a page, as rows of another page.
///
///     for (place, user) in users.enumerated() {
///         for index in related[place] { show(related.rows[index], of: user) }
///     }
///
/// 1. An object has one row, however many owners it has.
/// 2. An owner without the relationship has no objects; one with a to-one relationship has one at most.
public struct RelatedPage: Sendable {
    public let rows: RowPage
    /// The indexes in `rows` of each owner's objects, in order.
    private let places: [Int]
    /// The range of `places` for each owner.
    private let ranges: [Range<Int>]

    /// - Parameters:
    ///   - places: The indexes in `rows` of all owners' objects.
    ///   - ranges: The range of `places` for each owner.
    public init(rows: RowPage, places: [Int], ranges: [Range<Int>]) {
        self.rows = rows
        self.places = places
        self.ranges = ranges
    }

    /// The indexes in `rows` of the objects of an owner, given by its place among the owners.
    public subscript(owner: Int) -> ArraySlice<Int> { places[ranges[owner]] }

    /// The number of objects of all owners.
    public var count: Int { places.count }
}
