// SPDX-License-Identifier: Apache-2.0

// The changes of a save or a batch, as other contexts are notified of them.

public import FoundationEssentials

/// The changes of one save or batch, in a form that any context can merge.
public struct SavedChanges: Sendable {
    /// The kind of a row's change.
    public enum Kind: Sendable {
        case inserted
        case updated
        case deleted
    }

    public enum Change: Sendable {
        case inserted(Snapshot)
        case updated(before: Snapshot, after: Snapshot)
        case deleted(Snapshot)
        /// A row with only recomputed derived values. Its version is unchanged.
        case recomputed(Snapshot)
        /// Members of a to-many relationship that rows don't contain.
        case members(StoreSaveRequest.MembersChange)
        /// A row of which only the ID is known, as after batches over stores that don't return rows.
        case row(ManagedObjectID, Kind)
        /// Rows that are too many for single IDs. Ranges of the same kind don't overlap.
        case rows(ObjectIDRange, Kind)
        /// A store of which any row may have changed: others have written to it.
        case unknownStore(UUID)
    }

    /// Changes of one kind are in order; kinds may be mixed.
    public var list: [Change]
    /// The origin of the changes.
    public var source = Source.save
    /// The names of the properties that a batch has set in the updated `rows`.
    public var properties: [String] = []
    /// The known properties of rows given by ID only, and of owners whose members changed through other rows.
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

    /// The IDs of rows of which nothing else is known.
    package func namedIDs(_ kind: Kind) -> [ManagedObjectID] {
        list.compactMap { if case .row(let objectID, kind) = $0 { objectID } else { nil } }
    }

    package func ranges(_ kind: Kind) -> [ObjectIDRange] {
        list.compactMap { if case .rows(let range, kind) = $0 { range } else { nil } }
    }

    /// The IDs of updated rows, and of owners and members of changed relationships.
    package var touchedIDs: [ManagedObjectID] {
        var objectIDs = objectIDs(.updated)
        for case .members(let change) in list { objectIDs += change.objects }
        return objectIDs
    }

    var unknownStores: Set<UUID> {
        Set(list.compactMap { if case .unknownStore(let store) = $0 { store } else { nil } })
    }

    /// Whether merging other changes merges these too, since both only name stores that may have changed.
    func isCovered(by others: SavedChanges) -> Bool {
        list.allSatisfy {
            if case .unknownStore(let store) = $0 { others.unknownStores.contains(store) } else { false }
        }
    }
}

extension [SavedChanges] {
    /// The same changes with consecutive saves combined if they consist of written rows, since each merge processes all
    /// pending changes once; each with the number of saves that it consists of.
    var combined: [(changes: SavedChanges, count: Int)] {
        guard count > 1 else { return map { ($0, 1) } }
        var all: [(changes: SavedChanges, count: Int)] = []
        var rows = SaveCombiner()
        for changes in self {
            if changes.list.allSatisfy({ $0.written != nil }) {
                rows.add(changes)
            } else {
                all += rows.drain() + [(changes, 1)]
            }
        }
        return all + rows.drain()
    }
}

/// Rows of several saves, each from before the first to after the last.
private struct SaveCombiner {
    private var changes = SavedChanges()
    private var count = 0
    private var places: [ManagedObjectID: Int] = [:]

    mutating func add(_ later: SavedChanges) {
        count += 1
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

    /// Drains all rows as one save, if there are any.
    mutating func drain() -> [(changes: SavedChanges, count: Int)] {
        defer { self = SaveCombiner() }
        return count == 0 ? [] : [(changes, count)]
    }
}

/// The planned changes of a save in one store, combined with the written rows into the saved changes.
struct PlannedChanges: Sendable {
    var inserted: Set<ManagedObjectID> = []
    /// The rows that updates are based on, in the order of the updates.
    var updated: [Snapshot] = []
    var deleted: [Snapshot] = []
    var members: [StoreSaveRequest.MembersChange] = []

    init() {}

    init(_ changes: [ObjectChange], writtenBy request: StoreSaveRequest, in store: UUID) {
        inserted = Set(request.insertions.map(\.objectID))
        members = request.members
        // The updates are in the order of the changes; other changes concern only members.
        var updates = request.updates.makeIterator()
        var next = updates.next()
        for change in changes where change.objectID.storeIdentifier == store {
            if change.kind == .deleted {
                if let base = change.base { deleted.append(base) }
                members += Self.removedMembers(of: change)
            }
            if change.kind == .updated, change.objectID == next?.objectID {
                if let base = change.base { updated.append(base) }
                next = updates.next()
            }
        }
    }

    /// The changes, given the rows that the store has written.
    func savedChanges(written: [Snapshot]) -> SavedChanges {
        var bases = RowsInOrder(updated)
        let rows = written.map { row -> SavedChanges.Change in
            if inserted.contains(row.objectID) { return .inserted(row) }
            return bases.row(of: row.objectID).map { .updated(before: $0, after: row) } ?? .recomputed(row)
        }
        return SavedChanges(rows + deleted.map { .deleted($0) } + members.map { .members($0) })
    }

    /// The many-to-many members that a deleted object had. A store unlinks these itself, so the save needn't contain
    /// them.
    private static func removedMembers(of deleted: ObjectChange) -> [StoreSaveRequest.MembersChange] {
        guard !deleted.toManys.isEmpty else { return [] }
        var changes: [StoreSaveRequest.MembersChange] = []
        for relationship in deleted.objectID.entity.toManys where relationship.isManyToMany {
            guard let members = deleted.toManys[relationship.slot].committed, !members.isEmpty else { continue }
            changes.append(.init(owner: deleted.objectID, relationship: relationship, removed: members))
        }
        return changes
    }
}
