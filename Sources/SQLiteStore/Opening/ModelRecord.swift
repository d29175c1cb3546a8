// SPDX-License-Identifier: Apache-2.0

// Records the model that writes a store without version hashes.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// Records the version hashes of a store's model in the transaction of the first save or batch, so that later models
/// are compared with them. A store that is only read doesn't change.
final class ModelRecord: Sendable {
    private let model: ManagedObjectModel
    private let isWritten = Atomic(false)

    init(_ model: ManagedObjectModel) { self.model = model }

    func write(_ connection: Connection) throws {
        guard !isWritten.load(ordering: .relaxed) else { return }
        var head = try MetadataRow(connection)
        if head.metadata.versionHashes == nil {
            head.metadata.recordHashes(of: model)
            try head.write(connection)
        }
        connection.afterCommit { [self] in isWritten.store(true, ordering: .relaxed) }
    }
}
