// SPDX-License-Identifier: Apache-2.0

// Numbers of a coordinator's calls.

import Synchronization

/// Counts of a coordinator's calls since it was created, without calls that threw. What reached a SQLite store is in
/// that store's own `statistics`.
public struct CoordinatorStatistics: Hashable, Sendable {
    /// Fetches, counts and tables; their objects are the rows found.
    public var fetches = CallTimings()
    /// Reads of rows by ID, such as for faults, from memory or stores; their objects are the requested ones.
    public var faults = CallTimings()
    /// Reads of the members of relationships; their objects are the owners.
    public var relationshipFaults = CallTimings()
    /// Successful saves; their objects are the rows written.
    public var saves = CallTimings()
    /// Batches; their objects are those that were changed.
    public var batches = CallTimings()
    /// The rows that contexts share, with cache hits and misses.
    public var rowCache = RowCacheStatistics()
    /// The number of SQL statements run by the stores, including those that begin and end transactions.
    public var statements = 0

    public init() {}
}

/// The timings of calls, each kind behind its own lock to avoid contention.
final class CoordinatorTimings: Sendable {
    let fetches = Mutex(CallTimings())
    let faults = Mutex(CallTimings())
    let relationshipFaults = Mutex(CallTimings())
    let saves = Mutex(CallTimings())
    let batches = Mutex(CallTimings())
}

extension Mutex<CallTimings> {
    /// Runs a call and records its duration.
    func timing<Result>(
        objects: (Result) -> Int,
        _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let start = ContinuousClock.now
        let result = try body()
        let time = ContinuousClock.now - start
        withLock { $0.add(time, objects: objects(result)) }
        return result
    }
}

extension PersistentStoreCoordinator {
    public var statistics: CoordinatorStatistics {
        var statistics = CoordinatorStatistics()
        statistics.fetches = timings.fetches.withLock { $0 }
        statistics.faults = timings.faults.withLock { $0 }
        statistics.relationshipFaults = timings.relationshipFaults.withLock { $0 }
        statistics.saves = timings.saves.withLock { $0 }
        statistics.batches = timings.batches.withLock { $0 }
        statistics.rowCache = rowCacheStatistics
        statistics.statements = stores.reduce(0) { $0 + $1.statementCount }
        return statistics
    }
}

extension StoreFetchResult {
    /// The number of rows in the result; zero for a count.
    public var rowCount: Int {
        switch self {
        case .snapshots(let snapshots): snapshots.count
        case .objectIDs(let objectIDs): objectIDs.count
        case .table(let table): table.rows.count
        case .count: 0
        }
    }
}
