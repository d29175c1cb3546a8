// SPDX-License-Identifier: Apache-2.0

// What a save or a batch did to the stores, as other contexts are notified of it.

public import FoundationEssentials

/// The changes of one save or batch, in a form that may go to any context.
public struct SavedChanges: Sendable {
    /// What has become of a row.
    public enum Kind: Sendable {
        case inserted
        case updated
        case deleted
    }

    public enum Change: Sendable {
        case inserted(Snapshot)
        case updated(before: Snapshot, after: Snapshot)
        case deleted(Snapshot)
        /// A row in which only derived values are new, since others changed. Its version is what it was.
        case recomputed(Snapshot)
        /// Members of a relationship to many that the rows don't tell.
        case members(StoreSaveRequest.MembersChange)
        /// A row of which only this is known, as of batches over stores that don't hand out rows.
        case row(ManagedObjectID, Kind)
        /// Rows that are too many for each to have an ID. Ranges of the same kind don't overlap.
        case rows(ObjectIDRange, Kind)
        /// A store of which any row may be another: others have written to it, and don't tell what.
        case unknownStore(UUID)
    }

    /// Changes of one kind are in their order; kinds may be mixed.
    public var list: [Change]
    /// What has made the changes.
    public var source = Source.save
    /// The names of the properties that a batch has set in the updated `rows`.
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

    public init(_ list: [Change] = []) {
        self.list = list
    }

    public var isEmpty: Bool { list.isEmpty }

    /// Adds rows of which only the IDs are known.
    public mutating func add(_ objectIDs: some Sequence<ManagedObjectID>, as kind: Kind) {
        list += objectIDs.lazy.map { Change.row($0, kind) }
    }
}

extension SavedChanges.Change {
    /// A row that was inserted or updated.
    var written: Snapshot? {
        switch self {
        case .inserted(let row), .updated(_, let row): row
        case .recomputed, .deleted, .members, .row, .rows, .unknownStore: nil
        }
    }
}

extension SavedChanges {
    /// The IDs of rows of one kind, without those of ranges.
    package func objectIDs(_ kind: Kind) -> [ManagedObjectID] {
        list.compactMap { change in
            switch (change, kind) {
            case (.inserted(let row), .inserted), (.updated(_, let row), .updated), (.recomputed(let row), .updated),
                (.deleted(let row), .deleted):
                row.objectID
            case (.row(let objectID, kind), _): objectID
            default: nil
            }
        }
    }

    /// Those of which only the IDs are known.
    package func namedIDs(_ kind: Kind) -> [ManagedObjectID] {
        list.compactMap { if case .row(let objectID, kind) = $0 { objectID } else { nil } }
    }

    package func ranges(_ kind: Kind) -> [ObjectIDRange] {
        list.compactMap { if case .rows(let range, kind) = $0 { range } else { nil } }
    }

    /// The IDs of updated rows, and of those that have other members.
    package var touchedIDs: [ManagedObjectID] {
        var objectIDs = objectIDs(.updated)
        for case .members(let change) in list { objectIDs += change.objects }
        return objectIDs
    }

    var unknownStores: Set<UUID> {
        Set(list.compactMap { if case .unknownStore(let store) = $0 { store } else { nil } })
    }

    /// Whether a context that merges others has merged these with them, since nothing but the stores is known.
    func isCovered(by others: SavedChanges) -> Bool {
        list.allSatisfy {
            if case .unknownStore(let store) = $0 { others.unknownStores.contains(store) } else { false }
        }
    }
}

extension [SavedChanges] {
    /// The same with saves that follow each other as one, where written rows tell all of them: a merge goes over what is pending once
    /// for each.
    var together: [SavedChanges] {
        guard count > 1 else { return self }
        var all: [SavedChanges] = []
        var rows = RowsOfSaves()
        for changes in self {
            if changes.list.allSatisfy({ $0.written != nil }) {
                rows.add(changes)
            } else {
                all += rows.take() + [changes]
            }
        }
        return all + rows.take()
    }
}

/// Rows of several saves, each as it was before the first of them and is after the last.
private struct RowsOfSaves {
    private var changes = SavedChanges()
    private var places: [ManagedObjectID: Int] = [:]

    mutating func add(_ later: SavedChanges) {
        for change in later.list {
            guard let row = change.written else { continue }
            if case .updated = change, let place = places[row.objectID] {
                if case .updated(let before, _) = changes.list[place] {
                    changes.list[place] = .updated(before: before, after: row)
                } else {
                    changes.list[place] = .inserted(row)
                }
            } else {
                places[row.objectID] = changes.list.count
                changes.list.append(change)
            }
        }
    }

    /// All of them as one save, if there are any.
    mutating func take() -> [SavedChanges] {
        defer { self = RowsOfSaves() }
        return changes.isEmpty ? [] : [changes]
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
        let rows = written.map { row -> SavedChanges.Change in
            if inserted.contains(row.objectID) { return .inserted(row) }
            return updated[row.objectID].map { .updated(before: $0, after: row) } ?? .recomputed(row)
        }
        return SavedChanges(rows + deleted.map { .deleted($0) } + members.map { .members($0) })
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
