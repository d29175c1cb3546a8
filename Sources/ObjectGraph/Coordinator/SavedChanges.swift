// SPDX-License-Identifier: Apache-2.0

// What a save or a batch did to the stores, as other contexts are told of it.

/// The rows that were changed, in a form that may go to any context.
public struct SavedChanges: Sendable {
    /// A row before and after it was changed.
    public struct Update: Sendable {
        public let before: Snapshot
        public let after: Snapshot
    }

    public var inserted: [Snapshot] = []
    public var updated: [Update] = []
    public var deleted: [Snapshot] = []
    /// Members of relationships to many that the rows don't tell.
    public var members: [StoreSaveRequest.MembersChange] = []

    /// Rows of which only this is known, as of batches over stores that don't hand out rows.
    public var insertedIDs: [ManagedObjectID] = []
    public var updatedIDs: [ManagedObjectID] = []
    public var deletedIDs: [ManagedObjectID] = []

    public init() {}

    /// What a save did, by what it was asked for and the rows that came of it.
    init(_ changes: [ObjectChange], _ plan: SavePlan, _ written: [Snapshot]) {
        var bases: [ManagedObjectID: Snapshot] = [:]
        for change in changes {
            if change.kind == .deleted { deleted += change.base.map { [$0] } ?? [] }
            if change.kind == .updated { bases[change.objectID] = change.base }
        }
        for snapshot in written {
            if let before = bases[snapshot.objectID] {
                updated.append(Update(before: before, after: snapshot))
            } else {
                inserted.append(snapshot)
            }
        }
        members = plan.stores.flatMap { plan.requests[$0]?.members ?? [] }
    }

    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && members.isEmpty && insertedIDs.isEmpty
            && updatedIDs.isEmpty && deletedIDs.isEmpty
    }
}
