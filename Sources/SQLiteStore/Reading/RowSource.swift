// SPDX-License-Identifier: Apache-2.0

// Rows as predicates and derivations see them: objects that lead on to others, which are read when they are asked for.

import ObjectGraph
import Predicates
import SQLiteDriver

/// The rows of one state of a store, each read once.
final class RowSource {
    let reader: StoreReader
    private var rows: [ManagedObjectID: Snapshot?] = [:]
    private var members: [MembersKey: [ManagedObjectID]] = [:]
    /// Why something could not be read, which those who derive values take for values that aren't there.
    private var failure: (any Error)?

    private struct MembersKey: Hashable {
        let owner: ManagedObjectID
        let relationship: RelationshipDescription
    }

    init(_ reader: StoreReader) {
        self.reader = reader
    }

    func snapshot(_ objectID: ManagedObjectID) throws -> Snapshot? {
        if let known = rows[objectID] { return known }
        let snapshot = try noting { try reader.snapshots(of: [objectID])[0] }
        rows[objectID] = .some(snapshot)
        return snapshot
    }

    func membersOf(
        _ relationship: RelationshipDescription,
        _ owner: ManagedObjectID
    ) throws -> [ManagedObjectID] {
        let key = MembersKey(owner: owner, relationship: relationship)
        if let known = members[key] { return known }
        let related = try noting { try reader.related(along: relationship, owners: [owner]) }
        for row in related.rows { rows[row.objectID] = .some(row) }
        members[key] = related.members[0]
        return related.members[0]
    }

    /// Forgets who is whose member, and keeps the rows.
    func forgetMembers() { members = [:] }

    /// Throws what could not be read before.
    func check() throws {
        if let failure { throw failure }
    }

    private func noting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Takes in a row that was read elsewhere, or written.
    func put(_ snapshot: Snapshot) { rows[snapshot.objectID] = .some(snapshot) }
}

extension RowSource: DerivationSource {
    func row(of objectID: ManagedObjectID) -> Row? { try? snapshot(objectID)?.row }

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID] {
        (try? membersOf(relationship, owner)) ?? []
    }
}

/// A row as predicates see it.
struct StoredRow: KeyValueObject {
    let snapshot: Snapshot
    let source: RowSource

    var reference: ObjectReference? { snapshot.objectID.objectReference }

    func operand(forKey key: String) throws -> Operand? {
        switch snapshot.objectID.entity.property(named: key) {
        case .attribute(let attribute): return .value(snapshot.row.attributes[attribute.slot])
        case .relationship(let relationship) where relationship.isToMany:
            let members = try source.membersOf(relationship, snapshot.objectID)
            return .collection(try members.compactMap(object).map(Operand.object))
        case .relationship(let relationship):
            return try snapshot.row.toOnes[relationship.slot].map { .object(try object($0) ?? missing($0)) } ?? .null
        case nil where key == "entity": return .value(.string(snapshot.objectID.entity.name))
        case .fetched, nil: return nil
        }
    }

    private func object(_ objectID: ManagedObjectID) throws -> StoredRow? {
        try source.snapshot(objectID).map { StoredRow(snapshot: $0, source: source) }
    }

    /// What an object is whose row is gone: one without values, as it is in a context.
    private func missing(_ objectID: ManagedObjectID) -> StoredRow {
        let entity = objectID.entity
        let row = Row(attributes: entity.attributes.map { _ in .null }, toOnes: entity.toOnes.map { _ in nil })
        return StoredRow(snapshot: Snapshot(objectID: objectID, version: 0, row: row), source: source)
    }
}
