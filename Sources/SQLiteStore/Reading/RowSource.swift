// SPDX-License-Identifier: Apache-2.0

// The rows that predicates and derivations evaluate. Related rows are read on demand.

import ObjectGraph
import Predicates
import SQLiteDriver

/// Caches the rows of one state of a store.
final class RowSource {
    let reader: StoreReader
    private var rows: [ManagedObjectID: Snapshot?] = [:]
    private var members: [MembersKey: [ManagedObjectID]] = [:]
    /// The first read error; derivations treat what they can't read as missing.
    private var failure: (any Error)?

    private struct MembersKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    init(_ reader: StoreReader) {
        self.reader = reader
    }

    func snapshot(of objectID: ManagedObjectID) throws -> Snapshot? {
        if let known = rows[objectID] { return known }
        let snapshot = try recordingFailure { try reader.snapshots(of: [objectID])[0] }
        rows[objectID] = .some(snapshot)
        return snapshot
    }

    /// Reads the rows of several objects together, unless they are cached.
    func read(_ objects: Set<ManagedObjectID>) throws {
        let unread = objects.filter { rows[$0] == nil }
        guard unread.count > 1 else { return }
        let ordered = Array(unread)
        for (objectID, row) in zip(ordered, try recordingFailure { try reader.snapshots(of: ordered) }) {
            rows[objectID] = .some(row)
        }
    }

    func membersOf(
        _ relationship: RelationshipDescription,
        _ owner: ManagedObjectID
    ) throws -> [ManagedObjectID] {
        let key = MembersKey(owner: owner, relationship: relationship)
        if let known = members[key] { return known }
        let related = try recordingFailure { try reader.related(along: relationship, owners: [owner]) }
        for row in related.rows { rows[row.objectID] = .some(row) }
        members[key] = related.members[0]
        return related.members[0]
    }

    /// Removes rows and all members from the cache.
    func forget(_ objects: Set<ManagedObjectID>) {
        members = [:]
        for objectID in objects { rows[objectID] = nil }
    }

    /// Throws the first read error, if any.
    func check() throws {
        if let failure { throw failure }
    }

    private func recordingFailure<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Caches a row that was read elsewhere or written.
    func put(_ snapshot: Snapshot) { rows[snapshot.objectID] = .some(snapshot) }
}

extension RowSource: DerivationSource {
    func row(of objectID: ManagedObjectID) -> Row? { try? snapshot(of: objectID)?.row }

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        if let known = self.members[MembersKey(owner: owner, relationship: relationship)] { return known }
        return (try? recordingFailure { try reader.members(of: relationship, owners: [owner])[0] }) ?? []
    }
}

/// A row as an object that predicates can evaluate.
struct StoredRow: SnapshotObject {
    let snapshot: Snapshot
    let source: RowSource

    func object(for snapshot: Snapshot) -> StoredRow { StoredRow(snapshot: snapshot, source: source) }

    func destination(of _: RelationshipDescription, id objectID: ManagedObjectID) throws -> Snapshot? {
        try source.snapshot(of: objectID)
    }

    func destinations(of relationship: RelationshipDescription) throws -> [Snapshot] {
        try source.membersOf(relationship, snapshot.objectID).compactMap(source.snapshot(of:))
    }
}
