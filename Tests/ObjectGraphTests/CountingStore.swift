// SPDX-License-Identifier: Apache-2.0

// A store that counts its calls, because their number is part of the specification of fetches.

import FoundationEssentials
import ObjectGraph
import Predicates
import Synchronization

/// A wrapper around another store that counts its calls.
final class CountingStore: PersistentStore {
    struct Calls: Equatable, Sendable {
        var fetch = 0
        var snapshots = 0
        var members = 0
        var related = 0

        var all: Int { fetch + snapshots + members + related }
    }

    private let base: any PersistentStore
    private let counted = Mutex(Calls())
    private let asked = Mutex<[StoreFetchRequest.Kind]>([])

    /// Whether the row cache keeps the store's rows, or contexts read each row again.
    let keepsRowsInMemory: Bool
    /// Whether it returns rows in another order than requested, which no store may do.
    private let mixesRows: Bool
    /// Called after rows were read and before they are returned.
    private let afterReading: @Sendable () -> Void

    init(
        _ base: any PersistentStore,
        keepsRowsInMemory: Bool = true,
        mixesRows: Bool = false,
        afterReading: @escaping @Sendable () -> Void = {}
    ) {
        self.base = base
        self.keepsRowsInMemory = keepsRowsInMemory
        self.mixesRows = mixesRows
        self.afterReading = afterReading
    }

    /// The calls since the last time they were taken.
    func takeCalls() -> Calls {
        asked.withLock { $0 = [] }
        return counted.withLock { calls in
            defer { calls = Calls() }
            return calls
        }
    }

    /// The kinds of the fetches since the last time calls were taken.
    var kinds: [StoreFetchRequest.Kind] { asked.withLock { $0 } }

    var identifier: UUID { base.identifier }
    var metadata: StoreMetadata { base.metadata }
    var isReadOnly: Bool { base.isReadOnly }

    func setMetadata(_ metadata: StoreMetadata) throws { try base.setMetadata(metadata) }

    func reference(from text: String) -> ManagedObjectID.Reference? { base.reference(from: text) }

    func currentGeneration() throws -> any StoreGeneration { try base.currentGeneration() }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        counted.withLock { $0.fetch += 1 }
        asked.withLock { $0.append(request.kind) }
        defer { afterReading() }
        return try base.fetch(request, at: generation)
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
        counted.withLock { $0.snapshots += 1 }
        if failsReads.withLock(\.self) { throw Full() }
        defer { afterReading() }
        let rows = try base.snapshots(of: objects, at: generation)
        return mixesRows ? rows.reversed() : rows
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) throws -> [[ManagedObjectID]] {
        counted.withLock { $0.members += 1 }
        return try base.members(of: relationship, owners: owners, at: generation)
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        counted.withLock { $0.related += 1 }
        return try base.related(along: relationship, owners: owners, matching: request, at: generation)
    }

    private let failsReads = Mutex(false)

    /// Whether reading rows by their IDs fails.
    func failReads(_ fails: Bool) { failsReads.withLock { $0 = fails } }

    private let otherWriterObserver = Mutex<(@Sendable (OtherWrites) -> Void)?>(nil)

    func observeOtherWriters(for owner: any AnyObject & Sendable, _ notify: @escaping @Sendable (OtherWrites) -> Void) {
        otherWriterObserver.withLock { $0 = notify }
        base.observeOtherWriters(for: owner, notify)
    }

    /// Notifies the coordinator as if another process had written.
    func pretendOtherWriter() { otherWriterObserver.withLock(\.self)?(.unknown) }

    /// Whether it gives the same ID to several objects, which no store may do.
    private let repeatsIDs = Mutex(false)

    func repeatIDs() { repeatsIDs.withLock { $0 = true } }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) throws -> [ManagedObjectID] {
        let ids = try base.permanentIDs(for: entities, keeping: [:])
        return repeatsIDs.withLock { $0 } ? ids.map { _ in ids[0] } : ids
    }

    struct Full: Error {}

    /// The number of saves since the world was made.
    var savesDone: Int { saves.load(ordering: .relaxed) - savesBefore.load(ordering: .relaxed) }

    private let saves = Atomic(0)
    private let savesBefore = Atomic(0)

    func forgetSaves() { savesBefore.store(saves.load(ordering: .relaxed), ordering: .relaxed) }

    /// The number of saves that succeed before one fails, or nil if all succeed.
    private let savesBeforeFailure = Mutex<Int?>(nil)

    func failSave(afterNext count: Int) { savesBeforeFailure.withLock { $0 = count } }

    var acceptsConcurrentSaves: Bool { base.acceptsConcurrentSaves }

    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        let fails = savesBeforeFailure.withLock { left in
            defer { left = left == 0 ? nil : left.map { $0 - 1 } }
            return left == 0
        }
        if fails { throw Full() }
        let result = try base.save(request, commit: commit)
        saves.add(1, ordering: .relaxed)
        return result
    }
}
