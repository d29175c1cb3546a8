// SPDX-License-Identifier: Apache-2.0

// Counters of a store's work.

/// Counts of a store's work since it was opened, or between two moments. Calls that threw an error aren't counted.
///
///     let before = store.statistics
///     …
///     let done = store.statistics.since(before)
///     print(done.fetches.count, done.faults.objects, done.statements)
public struct StoreStatistics: Hashable, Sendable {
    /// Calls of one kind to the store.
    public struct Calls: Hashable, Sendable {
        public var count = 0
        public var objects = 0
        /// The total duration of the calls, including waiting.
        public var duration = Duration.zero
    }

    /// Fetches and counts. Objects are returned rows.
    public var fetches = Calls()
    /// Fetches of rows by ID, for example for faults. Objects are requested IDs.
    public var faults = Calls()
    /// Fetches of members of relationships, by faults or prefetching. Objects are owners.
    public var relationshipFaults = Calls()
    /// Executed saves. Objects are inserted, updated or deleted rows.
    public var saves = Calls()
    public var insertedObjects = 0
    public var updatedObjects = 0
    public var deletedObjects = 0
    /// Saves that were refused because of conflicts.
    public var conflicts = 0
    /// Batches. Objects are the matched ones. Other calls that a batch makes are also counted as such.
    public var batches = Calls()
    /// SQL statements, including those that begin and end transactions.
    public var statements = 0
    /// Committed transactions, each with one or more saves.
    public var commits = 0

    public init() {}

    /// The difference to an earlier moment of the same store.
    public func since(_ earlier: StoreStatistics) -> StoreStatistics {
        var change = self
        change.fetches = fetches.since(earlier.fetches)
        change.faults = faults.since(earlier.faults)
        change.relationshipFaults = relationshipFaults.since(earlier.relationshipFaults)
        change.saves = saves.since(earlier.saves)
        change.insertedObjects -= earlier.insertedObjects
        change.updatedObjects -= earlier.updatedObjects
        change.deletedObjects -= earlier.deletedObjects
        change.conflicts -= earlier.conflicts
        change.batches = batches.since(earlier.batches)
        change.statements -= earlier.statements
        change.commits -= earlier.commits
        return change
    }
}

extension StoreStatistics.Calls {
    mutating func add(objects: Int, in time: Duration) {
        count += 1
        self.objects += objects
        duration += time
    }

    fileprivate func since(_ earlier: Self) -> Self {
        Self(
            count: count - earlier.count,
            objects: objects - earlier.objects,
            duration: duration - earlier.duration
        )
    }
}
