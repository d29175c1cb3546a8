// SPDX-License-Identifier: Apache-2.0

// A store that kills its program at a point of a save into several stores.

public import FoundationEssentials
import Glibc
public import ObjectGraph
import Synchronization

/// The points of all stores of a program, counted together.
public final class StoppingPoint: Sendable {
    private let left: Mutex<Int>

    /// - Parameter count: The point at which the program is killed.
    public init(_ count: Int) { left = Mutex(count) }

    func pass() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { kill(getpid(), SIGKILL) }
    }
}

/// Passes a point before and after preparing a save, and before and after committing it.
public final class StoppingStore: PreparingStore {
    private let inner: any PreparingStore
    private let point: StoppingPoint

    public init(_ inner: any PreparingStore, at point: StoppingPoint) {
        self.inner = inner
        self.point = point
    }

    public var identifier: UUID { inner.identifier }
    public var metadata: StoreMetadata { inner.metadata }
    public var isReadOnly: Bool { inner.isReadOnly }
    public var acceptsConcurrentSaves: Bool { inner.acceptsConcurrentSaves }
    public var jointPlace: JointSave.Place? { inner.jointPlace }

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
        try inner.save(request, commit: commit)
    }

    public func keepIdentifier() throws { try inner.keepIdentifier() }

    public func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult {
        point.pass()
        let result = try inner.prepare(request, as: role, commit: commit) { rows in
            point.pass()
            try decide(rows)
            point.pass()
        }
        point.pass()
        return result
    }

    public func preparedSaves() throws -> [JointSave] { try inner.preparedSaves() }

    public func finish(_ save: JointSave, isDecided: () throws -> Bool) throws {
        try inner.finish(save, isDecided: isDecided)
    }

    public func decidedSaves() throws -> [JointSave] { try inner.decidedSaves() }

    public func forgetDecision(_ identifier: UUID) { inner.forgetDecision(identifier) }
}
