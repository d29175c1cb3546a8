// SPDX-License-Identifier: Apache-2.0

// What a batch answers.

/// What is to be known of a batch.
public enum BatchResultType: String, CaseIterable, Hashable, Sendable {
    /// That it was done, which it is unless it throws.
    case status
    case objectIDs = "ids"
    case count
}

/// What came of a batch.
public struct BatchResult: Hashable, Sendable {
    /// How many objects were inserted, found by an update, or deleted. A row that a stored one took the place of counts if
    /// that was changed by it; a deletion counts what the delete rules took along.
    public internal(set) var count = 0
    /// Their IDs, if they were asked for.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// How many live contexts it was merged into.
    public internal(set) var mergedContexts = 0

    mutating func add(_ result: StoreBatchResult, mergedContexts: Int) {
        count += result.count
        objectIDs += result.objectIDs
        self.mergedContexts = max(self.mergedContexts, mergedContexts)
    }
}
