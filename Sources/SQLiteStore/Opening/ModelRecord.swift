// SPDX-License-Identifier: Apache-2.0

// The model that a store is written with, for a store that says nothing of its model.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// Records the version hashes of a store's model with the first save or batch, in the same transaction, so that the next model is compared
/// with it. What is only read stays as it is.
final class ModelRecord: Sendable {
    private let model: ManagedObjectModel
    private let isWritten = Atomic(false)

    init(_ model: ManagedObjectModel) { self.model = model }

    func write(_ connection: Connection) throws {
        guard !isWritten.load(ordering: .relaxed) else { return }
        var head = try StoreHead(connection)
        if head.metadata.versionHashes == nil {
            head.metadata.recordHashes(of: model)
            try head.write(connection)
        }
        connection.afterCommit { [self] in isWritten.store(true, ordering: .relaxed) }
    }
}
