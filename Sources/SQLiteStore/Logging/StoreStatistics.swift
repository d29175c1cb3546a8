// SPDX-License-Identifier: Apache-2.0

// What a store has done, in numbers.

/// Counts of a store since it was opened, or between two moments. Calls that threw an error aren't in it.
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
        /// All the time that callers have spent in them, with what they waited.
        public var duration = Duration.zero
    }

    /// Fetches and counts; their objects are the rows that they returned.
    public var fetches = Calls()
    /// Fetches of rows by ID, as where faults fire; their objects are those that were asked for.
    public var faults = Calls()
    /// Fetches of the members of relationships, by faults or ahead of them; their objects are the owners.
    public var relationshipFaults = Calls()
    /// Saves that were done; their objects are the rows that were inserted, updated or deleted.
    public var saves = Calls()
    public var insertedObjects = 0
    public var updatedObjects = 0
    public var deletedObjects = 0
    /// Saves that weren't done because of what others had changed.
    public var conflicts = 0
    /// Batches; their objects are those that they were about. What a batch does by other calls counts there, too.
    public var batches = Calls()
    /// Statements of SQL, those that begin and end transactions among them.
    public var statements = 0
    /// Transactions that were committed, each of them for one save or several.
    public var commits = 0

    public init() {}

    /// What came to be since an earlier moment of the same store.
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
