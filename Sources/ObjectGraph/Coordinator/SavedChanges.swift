// SPDX-License-Identifier: Apache-2.0

// What a save or a batch did to the stores, as other contexts are told of it.

import FoundationEssentials

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
    public var updatedIDs: [ManagedObjectID] = []
    public var deletedIDs: [ManagedObjectID] = []
    /// Rows that are too many for each to have an ID. Ranges of the same kind of change don't overlap.
    public var insertedRanges: [ObjectIDRange] = []
    public var updatedRanges: [ObjectIDRange] = []
    public var deletedRanges: [ObjectIDRange] = []

    /// Stores of which any row may be another, since others have written to them who don't tell.
    var unknownStores: Set<UUID> = []

    /// What has made the changes.
    public var source = Source.save
    /// The names of the properties that a batch has set in the rows of `updatedRanges`.
    public var properties: [String] = []
    /// What is known of the properties of rows that are told by their IDs alone, and of objects that have other members since other
    /// rows lead to them, which are told nowhere else.
    public var changedProperties = ChangedProperties()

    public enum Source: String, Sendable {
        case save
        case batchInsert = "batch-insert"
        case batchUpdate = "batch-update"
        case batchDelete = "batch-delete"
        /// Another process.
        case other
    }

    public init() {}

    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && recomputed.isEmpty && members.isEmpty
            && insertedIDs.isEmpty && updatedIDs.isEmpty && deletedIDs.isEmpty
            && insertedRanges.isEmpty && updatedRanges.isEmpty && deletedRanges.isEmpty && unknownStores.isEmpty
    }
}

extension SavedChanges {
    /// Whether it tells all by rows that are there, and by members.
    var tellsRows: Bool {
        deleted.isEmpty && recomputed.isEmpty && insertedIDs.isEmpty && updatedIDs.isEmpty && deletedIDs.isEmpty
            && insertedRanges.isEmpty && updatedRanges.isEmpty && deletedRanges.isEmpty && unknownStores.isEmpty
    }
}

extension [SavedChanges] {
    /// The same with saves that follow each other as one, where rows tell all of them: a merge goes over what is pending once for each.
    var together: [SavedChanges] {
        guard count > 1 else { return self }
        var (all, rows): ([SavedChanges], RowsOfSaves?) = ([], nil)
        for changes in self {
            if changes.tellsRows, changes.members.isEmpty {
                rows = rows ?? RowsOfSaves()
                rows?.add(changes)
            } else {
                if let saved = rows { all.append(saved.changes) }
                (rows, all) = (nil, all + [changes])
            }
        }
        if let saved = rows { all.append(saved.changes) }
        return all
    }
}

/// Rows of several saves, each as it was before the first of them and is after the last.
private struct RowsOfSaves {
    private enum Place {
        case inserted(Int)
        case updated(Int)
    }

    private(set) var changes = SavedChanges()
    private var places: [ManagedObjectID: Place] = [:]

    mutating func add(_ later: SavedChanges) {
        for row in later.inserted {
            places[row.objectID] = .inserted(changes.inserted.count)
            changes.inserted.append(row)
        }
        for update in later.updated {
            let objectID = update.after.objectID
            switch places[objectID] {
            case .inserted(let place): changes.inserted[place] = update.after
            case .updated(let place):
                let before = changes.updated[place].before
                changes.updated[place] = SavedChanges.Update(before: before, after: update.after)
            case nil:
                places[objectID] = .updated(changes.updated.count)
                changes.updated.append(update)
            }
        }
    }
}

extension SavedChanges {
    /// Whether whoever merges others has merged these with them, since nothing but the stores is known.
    func isCovered(by others: SavedChanges) -> Bool {
        var rest = self
        rest.unknownStores.subtract(others.unknownStores)
        return rest.isEmpty
    }
}

/// What a save is to change in one store, from which follows what it has changed once its rows are written.
struct PlannedChanges: Sendable {
    var inserted: Set<ManagedObjectID> = []
    /// The rows that updates go out from.
    var updated: [ManagedObjectID: Snapshot] = [:]
    var deleted: [Snapshot] = []
    var members: [StoreSaveRequest.MembersChange] = []

    init() {}

    init(_ changes: [ObjectChange], _ request: StoreSaveRequest, in store: UUID) {
        inserted = Set(request.insertions.map(\.objectID))
        let updates = Set(request.updates.map(\.objectID))
        members = request.members
        for change in changes where change.objectID.storeIdentifier == store {
            if change.kind == .deleted {
                deleted += change.base.map { [$0] } ?? []
                members += Self.withdrawals(of: change)
            }
            if change.kind == .updated, updates.contains(change.objectID) { updated[change.objectID] = change.base }
        }
    }

    /// What was changed, by the rows that the store has written.
    func done(_ written: [Snapshot]) -> SavedChanges {
        var changes = SavedChanges()
        (changes.deleted, changes.members) = (deleted, members)
        for snapshot in written {
            if inserted.contains(snapshot.objectID) {
                changes.inserted.append(snapshot)
            } else if let before = updated[snapshot.objectID] {
                changes.updated.append(.init(before: before, after: snapshot))
            } else {
                changes.recomputed.append(snapshot)
            }
        }
        return changes
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
}
