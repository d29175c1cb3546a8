// SPDX-License-Identifier: Apache-2.0

// A wrapper around another store that has only what every store must have.

public import FoundationEssentials
public import ObjectGraph
import Synchronization

/// A store without support for batches, which counts its saves and can make the next ones fail with conflicts.
public final class PlainStore: PersistentStore {
    private let inner: any PersistentStore
    private let state = Mutex(State())

    private struct State {
        var saves = 0
        var conflicts = 0
        var isReadOnly = false
        var streams = false
    }

    public init(_ inner: any PersistentStore) {
        self.inner = inner
    }

    public var saves: Int { state.withLock { $0.saves } }
    public var isReadOnly: Bool { state.withLock { $0.isReadOnly } }
    public var streamsBatchInserts: Bool { state.withLock { $0.streams } }
    public func stream() { state.withLock { $0.streams = true } }
    public func close() { state.withLock { $0.isReadOnly = true } }
    public func failNextSaves(_ count: Int) { state.withLock { $0.conflicts = count } }

    public var identifier: UUID { inner.identifier }
    public var metadata: StoreMetadata { inner.metadata }
    public func setMetadata(_ metadata: StoreMetadata) throws { try inner.setMetadata(metadata) }
    public func reference(from text: String) -> ManagedObjectID.Reference? { inner.reference(from: text) }
    public func currentGeneration() throws -> any StoreGeneration { try inner.currentGeneration() }
    public func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        try inner.permanentIDs(for: entities, keeping: [:])
    }

    public func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try inner.fetch(request, at: generation)
    }

    public func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try inner.snapshots(of: objects, at: generation)
    }

    public func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try inner.members(of: relationship, owners: owners, at: generation)
    }

    public func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        let isConflict = state.withLock { state in
            state.saves += 1
            state.conflicts -= 1
            return state.conflicts >= 0
        }
        if isConflict {
            var conflicts = StoreConflicts()
            for update in request.updates { conflicts.rows[update.objectID] = .some(nil) }
            return .conflicts(conflicts)
        }
        return try inner.save(request, commit: commit)
    }
}
