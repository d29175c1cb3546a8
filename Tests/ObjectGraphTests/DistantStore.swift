// SPDX-License-Identifier: Apache-2.0

// A store whose rows are worth keeping, since each call to it counts.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Synchronization

/// A store in memory that counts its calls, can hold them up, and can be out of reach.
final class DistantStore: PersistentStore {
    struct Calls: Hashable {
        var fetches = 0
        var snapshots = 0
        var members = 0
    }

    struct OutOfReach: Error {}

    private let store: InMemoryStore
    private let counted = Mutex(Calls())
    private let reach = Mutex(true)
    /// Called after rows were read and before they are handed out.
    private let afterReading: @Sendable () -> Void

    init(_ store: InMemoryStore, afterReading: @escaping @Sendable () -> Void = {}) {
        self.store = store
        self.afterReading = afterReading
    }

    /// The calls since this was asked for last.
    func takeCalls() -> Calls {
        counted.withLock { calls in
            defer { calls = Calls() }
            return calls
        }
    }

    func setReach(_ isInReach: Bool) { reach.withLock { $0 = isInReach } }

    var identifier: UUID { store.identifier }
    var metadata: StoreMetadata { store.metadata }
    var isReadOnly: Bool { false }

    func setMetadata(_ metadata: StoreMetadata) throws { try store.setMetadata(metadata) }
    func reference(from text: String) -> ManagedObjectID.Reference? { store.reference(from: text) }
    func permanentIDs(for entities: [EntityDescription]) -> [ManagedObjectID] { store.permanentIDs(for: entities) }
    func currentGeneration() throws -> any StoreGeneration { store.currentGeneration() }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try count(\.fetches)
        let answer = try store.fetch(request, at: generation)
        afterReading()
        return answer
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        try count(\.snapshots)
        let rows = store.snapshots(of: objects, at: generation)
        afterReading()
        return rows
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        try count(\.members)
        return store.members(of: relationship, owners: owners, at: generation)
    }

    func save(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        guard reach.withLock({ $0 }) else { throw OutOfReach() }
        return try store.save(request)
    }

    private func count(_ call: any WritableKeyPath<Calls, Int> & Sendable) throws {
        guard reach.withLock({ $0 }) else { throw OutOfReach() }
        counted.withLock { $0[keyPath: call] += 1 }
    }
}
