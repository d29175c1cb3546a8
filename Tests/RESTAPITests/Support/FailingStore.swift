// SPDX-License-Identifier: Apache-2.0

// A store that fails on request.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// Wraps another store, and fails once it has an error.
final class FailingStore: PersistentStore {
    struct Failure: CodedStoreError, CustomStringConvertible {
        let graphCode: GraphError.Code?
        let description: String
    }

    private let base: any PersistentStore
    private let failure = Mutex<Failure?>(nil)

    init(_ base: any PersistentStore) { self.base = base }

    func fail(_ failure: Failure) { self.failure.withLock { $0 = failure } }

    private func check() throws {
        if let failure = failure.withLock(\.self) { throw failure }
    }

    var identifier: UUID { base.identifier }
    var metadata: StoreMetadata { base.metadata }
    var isReadOnly: Bool { false }

    func setMetadata(_ metadata: StoreMetadata) throws { try base.setMetadata(metadata) }
    func reference(from text: String) -> ManagedObjectID.Reference? { base.reference(from: text) }
    func currentGeneration() throws -> any StoreGeneration { try base.currentGeneration() }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try base.permanentIDs(for: entities, keeping: [:])
    }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try check()
        return try base.fetch(request, at: generation)
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try check()
        return try base.snapshots(of: objects, at: generation)
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try check()
        return try base.members(of: relationship, owners: owners, at: generation)
    }

    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        try check()
        return try base.save(request, commit: commit)
    }
}
