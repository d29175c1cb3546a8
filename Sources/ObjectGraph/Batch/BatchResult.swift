// SPDX-License-Identifier: Apache-2.0

// The result of a batch.

/// The kind of result of a batch.
public enum BatchResultType: String, CaseIterable, Hashable, Sendable {
    /// Only that the batch succeeded.
    case status
    case objectIDs = "ids"
    case count
}

/// The result of a batch.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, found by an update, or deleted. A row merged into a stored one counts if it
    /// changed it; deletions include those by delete rules.
    public package(set) var count = 0
    /// Their IDs, if requested.
    public package(set) var objectIDs: [ManagedObjectID] = []
    /// The number of live contexts that were notified of the batch.
    public internal(set) var mergedContexts = 0

    mutating func add(_ result: StoreBatchResult, mergedContexts: Int) {
        count += result.count
        objectIDs += result.objectIDs
        self.mergedContexts = max(self.mergedContexts, mergedContexts)
    }
}
