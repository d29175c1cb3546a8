// SPDX-License-Identifier: Apache-2.0

// What a save or a batch did to the stores, as other contexts are told of it.

/// The rows that were changed, in a form that may go to any context.
public struct SavedChanges: Sendable {
    /// A row before and after it was changed.
    public struct Update: Sendable {
        public let before: Snapshot
        public let after: Snapshot

        public init(before: Snapshot, after: Snapshot) {
            self.before = before
            self.after = after
        }
    }

    public var inserted: [Snapshot] = []
    public var updated: [Update] = []
    public var deleted: [Snapshot] = []
    /// Rows in which only derived values are new, since others changed. Their versions are what they were.
    public var recomputed: [Snapshot] = []
    /// Members of relationships to many that the rows don't tell.
    public var members: [StoreSaveRequest.MembersChange] = []

    /// Rows of which only this is known, as of batches over stores that don't hand out rows.
    public var insertedIDs: [ManagedObjectID] = []
    /// New rows that are too many for each to have an ID.
    public var insertedRanges: [ObjectIDRange] = []
    public var updatedIDs: [ManagedObjectID] = []
    public var deletedIDs: [ManagedObjectID] = []

    public init() {}

    /// What a save did, by what it was asked for and the rows that came of it.
    init(_ changes: [ObjectChange], _ plan: SavePlan, _ written: [Snapshot]) {
        let requests = plan.stores.compactMap { plan.requests[$0] }
        var bases: [ManagedObjectID: Snapshot] = [:]
        for change in changes {
            if change.kind == .deleted { deleted += change.base.map { [$0] } ?? [] }
            if change.kind == .updated { bases[change.objectID] = change.base }
        }
        add(
            written,
            inserted: Set(requests.flatMap { $0.insertions.map(\.objectID) }),
            updated: Set(requests.flatMap { $0.updates.map(\.objectID) }),
            bases: bases
        )
        members = requests.flatMap(\.members) + changes.filter { $0.kind == .deleted }.flatMap(Self.withdrawals)
    }

    /// Takes in the rows that a store has written, by what became of them.
    mutating func add(
        _ written: [Snapshot],
        inserted isInserted: Set<ManagedObjectID>,
        updated isUpdated: Set<ManagedObjectID>,
        bases: [ManagedObjectID: Snapshot]
    ) {
        for snapshot in written {
            if isInserted.contains(snapshot.objectID) {
                inserted.append(snapshot)
            } else if isUpdated.contains(snapshot.objectID), let before = bases[snapshot.objectID] {
                updated.append(Update(before: before, after: snapshot))
            } else {
                recomputed.append(snapshot)
            }
        }
    }

    /// The members that a deleted object had in relationships to many on both sides. A store ends these by itself, so that
    /// the save need not speak of them.
    private static func withdrawals(of deleted: ObjectChange) -> [StoreSaveRequest.MembersChange] {
        guard !deleted.toManys.isEmpty else { return [] }
        return deleted.objectID.entity.toManys.filter(\.isManyToMany).compactMap { relationship in
            guard let members = deleted.toManys[relationship.slot].committed, !members.isEmpty else { return nil }
            return .init(owner: deleted.objectID, relationship: relationship, removed: members)
        }
    }

    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && recomputed.isEmpty && members.isEmpty
            && insertedIDs.isEmpty && insertedRanges.isEmpty && updatedIDs.isEmpty && deletedIDs.isEmpty
    }
}
