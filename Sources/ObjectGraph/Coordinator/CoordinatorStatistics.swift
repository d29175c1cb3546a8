// SPDX-License-Identifier: Apache-2.0

// What a coordinator was asked for, in numbers.

import Synchronization

/// Counts of a coordinator since it was made. Calls that threw an error aren't in them. What reached a SQLite store of it, that store's
/// own `statistics` tell.
public struct CoordinatorStatistics: Hashable, Sendable {
    /// Fetches, counts and tables; their objects are the rows that were found.
    public var fetches = CallTimings()
    /// Reads of rows by ID, as where faults fire, from memory or stores; their objects are those that were asked for.
    public var faults = CallTimings()
    /// Reads of the members of relationships; their objects are the owners.
    public var relationshipFaults = CallTimings()
    /// Saves that were done; their objects are the rows that were written.
    public var saves = CallTimings()
    /// Batches; their objects are those that they were about.
    public var batches = CallTimings()
    /// Rows that contexts share: `hits` and `misses` say how often memory had what was asked for.
    public var rowCache = RowCacheStatistics()
    /// Statements of SQL that the stores have run, those that begin and end transactions among them.
    public var statements = 0

    public init() {}
}

/// Where calls are timed, each kind for itself so that they don't wait for each other.
final class CoordinatorTimings: Sendable {
    let fetches = Mutex(CallTimings())
    let faults = Mutex(CallTimings())
    let relationshipFaults = Mutex(CallTimings())
    let saves = Mutex(CallTimings())
    let batches = Mutex(CallTimings())
}

extension Mutex<CallTimings> {
    /// Runs a call and notes how long it took.
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
    /// How many rows there are in it; those that were only counted are none.
    public var rowCount: Int {
        switch self {
        case .snapshots(let snapshots): snapshots.count
        case .objectIDs(let objectIDs): objectIDs.count
        case .table(let table): table.rows.count
        case .count: 0
        }
    }
}
