// SPDX-License-Identifier: Apache-2.0

// A store with rows that arrive late, when other threads may have changed them.

import FoundationEssentials
import Glibc
import ObjectGraph

/// A wrapper around another store that delays reads.
final class SlowReads: PersistentStore {
    private let inner: any PersistentStore

    init(_ inner: any PersistentStore) {
        self.inner = inner
    }

    private func late<Result>(_ body: () throws -> Result) rethrows -> Result {
        let result = try body()
        usleep(UInt32.random(in: 0...1_000))
        return result
    }

    var identifier: UUID { inner.identifier }
    var metadata: StoreMetadata { inner.metadata }
    var isReadOnly: Bool { inner.isReadOnly }
    var acceptsConcurrentSaves: Bool { inner.acceptsConcurrentSaves }
    var streamsBatchInserts: Bool { inner.streamsBatchInserts }
    func setMetadata(_ metadata: StoreMetadata) throws { try inner.setMetadata(metadata) }
    func reference(from text: String) -> ManagedObjectID.Reference? { inner.reference(from: text) }
    func currentGeneration() throws -> any StoreGeneration { try inner.currentGeneration() }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try inner.permanentIDs(for: entities, keeping: [:])
    }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try late { try inner.fetch(request, at: generation) }
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try late { try inner.snapshots(of: objects, at: generation) }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try late { try inner.members(of: relationship, owners: owners, at: generation) }
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        try late { try inner.related(along: relationship, owners: owners, matching: request, at: generation) }
    }

    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        try inner.save(request, commit: commit)
    }

    func execute(_ batch: StoreBatchRequest, commit: Commit<StoreBatchResult>) throws -> StoreBatchResult {
        try inner.execute(batch, commit: commit)
    }
}
