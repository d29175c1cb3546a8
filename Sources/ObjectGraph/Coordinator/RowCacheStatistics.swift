// SPDX-License-Identifier: Apache-2.0

// Statistics of the row cache.

/// Counts of a coordinator's row cache, without rows of stores that keep theirs in memory.
public struct RowCacheStatistics: Hashable, Sendable {
    /// The number of rows requested by ID and found.
    public var hits = 0
    /// The number of rows requested and read, because they were missing or too old.
    public var misses = 0
    /// The number of cached rows.
    public var rows = 0
    /// The approximate bytes of the cached rows.
    public var bytes = 0

    public init() {}

    /// The counts since an earlier time, with the present size.
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
