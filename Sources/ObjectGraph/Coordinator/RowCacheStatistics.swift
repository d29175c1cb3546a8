// SPDX-License-Identifier: Apache-2.0

// How well the row cache serves.

/// Counts of a coordinator's row cache. Rows of stores that keep theirs in memory aren't in it.
public struct RowCacheStatistics: Hashable, Sendable {
    /// How many rows were asked for by ID and found.
    public var hits = 0
    /// How many were asked for and had to be read, because they weren't there or too old.
    public var misses = 0
    /// How many rows there are now.
    public var rows = 0
    /// How much memory they take, roughly.
    public var bytes = 0

    public init() {}

    /// What was asked for since an earlier moment, and what there is now.
    public func since(_ earlier: RowCacheStatistics) -> RowCacheStatistics {
        var change = self
        change.hits -= earlier.hits
        change.misses -= earlier.misses
        return change
    }
}

extension PersistentStoreCoordinator {
    public var rowCacheStatistics: RowCacheStatistics { rowCache.statistics }
}
