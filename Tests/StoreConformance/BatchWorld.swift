// SPDX-License-Identifier: Apache-2.0

// Functions common to the batch tests of all kinds of stores.

public import ObjectGraph
public import Predicates

public protocol BatchWorld {
    var coordinator: PersistentStoreCoordinator { get }
}

extension BatchWorld {
    /// Inserts by a batch, and returns the IDs of the new objects.
    @discardableResult
    public func insert(
        _ entity: String,
        _ rows: [[String: Value]],
        _ policy: MergePolicy = .error
    ) throws -> [ManagedObjectID] {
        var request = BatchInsertRequest(entity, rows: rows)
        request.resultType = .objectIDs
        return try coordinator.execute(request, mergePolicy: policy).objectIDs
    }
}
