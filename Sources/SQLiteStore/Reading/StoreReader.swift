// SPDX-License-Identifier: Apache-2.0

// Reads rows and members of relationships through a connection.

import Basics
import ObjectGraph
import SQLiteDriver

/// Reads a store through one connection, in the state that the connection sees.
struct StoreReader {
    let connection: Connection
    let tables: StoreTables

    var schema: StoreSchema { tables.schema }

    /// The rows of objects in the same order, read by one statement for each table.
    func snapshots(of objects: [ManagedObjectID]) throws -> [Snapshot?] {
        if objects.count == 1 { return [try snapshot(of: objects[0])] }
        var snapshots: [Snapshot?] = Array(repeating: nil, count: objects.count)
        for (reader, places) in byTable(objects) {
            let keys = places.compactMap { tables.key(of: objects[$0]) }
            guard keys.count > 1 else {
                for place in places { snapshots[place] = try rows(keys, reader).first }
                continue
            }
            let found = Dictionary(keepingFirst: try rows(keys, reader).map { ($0.objectID, $0) })
            for place in places { snapshots[place] = found[objects[place]] }
        }
        // The row with the key belongs to another object unless its entity matches.
        for (place, snapshot) in snapshots.enumerated() {
            guard let snapshot, !snapshot.objectID.entity.isKind(of: objects[place].entity) else { continue }
            snapshots[place] = nil
        }
        return snapshots
    }

    private func snapshot(of object: ManagedObjectID) throws -> Snapshot? {
        guard let key = tables.key(of: object), let reader = tables.rowReader(of: object.entity),
            let snapshot = try rows([key], reader).first
        else { return nil }
        return snapshot.objectID.entity.isKind(of: object.entity) ? snapshot : nil
    }

    private func rows(_ keys: [Int64], _ reader: RowReader) throws -> [Snapshot] {
        let meter = ReadMeter()
        var ids = SharedIDs()
        return try connection.rows(reader.query(keys)) { try meter.count(reader.snapshot($0, sharing: &ids)) }
    }

    /// Groups the indexes of objects that the store may have by table.
    private func byTable(_ objects: [ManagedObjectID]) -> [(RowReader, [Int])] {
        var groups: [(reader: RowReader, places: [Int])] = []
        var known: [String: Int] = [:]
        for (place, object) in objects.enumerated() {
            guard tables.key(of: object) != nil, let reader = tables.rowReader(of: object.entity) else { continue }
            let group = known[reader.table.name] ?? groups.count
            if group == groups.count {
                known[reader.table.name] = group
                groups.append((reader, []))
            }
            groups[group].places.append(place)
        }
        return groups.map { ($0.reader, $0.places) }
    }
}

// MARK: Members

extension StoreReader {
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws -> [[ManagedObjectID]] {
        var members = MembersByOwner()
        // Objects of many owners are returned many times, by equal IDs.
        var known: [Int64: ManagedObjectID] = [:]
        try query(relationship, owners) { reader in
            "m.Z_PK, m.Z_ENT"
        } row: { owner, row, reader in
            guard relationship.isManyToMany else { return members.add(reader.objectID(row, from: 1), to: owner) }
            let key = row.int64(1)
            let objectID = known[key] ?? reader.objectID(row, from: 1)
            known[key] = objectID
            members.add(objectID, to: owner)
        }
        return members.lists(of: owners) { self.key(of: $0, having: relationship) }
    }

    /// The members and their rows, read by one statement.
    func related(along relationship: RelationshipDescription, owners: [ManagedObjectID]) throws -> RelatedRows {
        var members = MembersByOwner()
        var rows: [Snapshot] = []
        var known: Set<ManagedObjectID> = []
        var ids = SharedIDs()
        let meter = ReadMeter()
        try query(relationship, owners) { reader in
            reader.columns(of: "m")
        } row: { owner, row, reader in
            guard relationship.isManyToMany else {
                let snapshot = try meter.count(reader.snapshot(row, from: 1, sharing: &ids))
                members.add(snapshot.objectID, to: owner)
                return rows.append(snapshot)
            }
            let objectID = reader.objectID(row, from: 1)
            members.add(objectID, to: owner)
            if known.insert(objectID).inserted {
                rows.append(try meter.count(reader.snapshot(row, from: 1, sharing: &ids)))
            }
        }
        return RelatedRows(
            members: members.lists(of: owners) { self.key(of: $0, having: relationship) },
            rows: rows
        )
    }

    /// Nil for an owner of another hierarchy, since keys are unique only within a table.
    func key(of owner: ManagedObjectID, having relationship: RelationshipDescription) -> Int64? {
        owner.entity.relationships.contains(relationship) ? tables.key(of: owner) : nil
    }

    /// Runs a query that returns an owner's key followed by the selected columns of a member, owner by owner.
    private func query(
        _ relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        selecting columns: (RowReader) -> SQL,
        row: (_ owner: Int64, Statement, RowReader) throws -> Void
    ) throws {
        guard let (query, reader) = membersQuery(relationship, owners, selecting: columns) else { return }
        try connection.run(query) { try row($0.int64(0), $0, reader) }
    }

    /// Nil if there is nothing to read.
    func membersQuery(
        _ relationship: RelationshipDescription,
        _ owners: [ManagedObjectID],
        selecting columns: (RowReader) -> SQL
    ) -> (query: SQL, reader: RowReader)? {
        let keys = owners.compactMap { key(of: $0, having: relationship) }
        let destination = schema.model.destination(of: relationship)
        guard !keys.isEmpty, let reader = tables.rowReader(of: destination),
            let owner = owners.first(where: { $0.entity.relationships.contains(relationship) }).flatMap({
                schema.table(of: $0.entity)
            }),
            let join = schema.join(to: relationship, owner: "o", member: "m")
        else { return nil }
        let query: SQL = """
            SELECT o.Z_PK, \(columns(reader)) FROM \(identifier: owner.name) AS o \(join.tables) \
            WHERE o.Z_PK IN \(.keys(keys)) ORDER BY o.Z_PK, \(join.order)
            """
        return (query, reader)
    }
}

/// The members of owners that are read one after the other.
private struct MembersByOwner {
    private var lists: [Int64: [ManagedObjectID]] = [:]
    private var owner: Int64?
    private var list: [ManagedObjectID] = []

    mutating func add(_ member: ManagedObjectID, to owner: Int64) {
        if owner != self.owner { begin(owner) }
        list.append(member)
    }

    private mutating func begin(_ owner: Int64?) {
        if let former = self.owner { lists[former] = list }
        self.owner = owner
        list = owner.flatMap { lists.removeValue(forKey: $0) } ?? []
    }

    /// The members of each owner, given by its key.
    mutating func lists(
        of owners: [ManagedObjectID],
        key: (ManagedObjectID) -> Int64?
    ) -> [[ManagedObjectID]] {
        begin(nil)
        return owners.map { owner in key(owner).flatMap { lists[$0] } ?? [] }
    }
}

extension StoreSchema {
    /// Joins the members of a to-many relationship to their owners. Returns the tables, the order, and for an ordered
    /// relationship the column of order values; nil for a transient relationship.
    func join(
        to relationship: RelationshipDescription,
        owner: SQL,
        member: SQL
    ) -> (tables: SQL, order: SQL, place: SQL?)? {
        let destination = model.destination(of: relationship)
        guard let table = table(of: destination) else { return nil }
        if let view = pairs(of: relationship) {
            let own = view.own
            let other = view.other
            let tables: SQL = """
                CROSS JOIN \(identifier: view.table.name) AS p ON p.\(identifier: own.key) = \(owner).Z_PK \
                CROSS JOIN \(identifier: table.name) AS \(member) ON \(member).Z_PK = p.\(identifier: other.key)
                """
            let place: SQL? = other.order.map { "p.\(identifier: $0)" }
            return (tables, place.map { "\($0), \(member).Z_PK" } ?? "\(member).Z_PK", place)
        }
        guard !relationship.isManyToMany, let slot = relationship.inverse?.slot,
            let columns = table[destination].toOnes[slot]
        else { return nil }
        let key = table.columns[columns.key].name
        let place: SQL? = columns.order.map { "\(member).\(identifier: table.columns[$0].name)" }
        return (
            "CROSS JOIN \(identifier: table.name) AS \(member) ON \(member).\(identifier: key) = \(owner).Z_PK",
            place.map { "\($0), \(member).Z_PK" } ?? "\(member).Z_PK", place
        )
    }
}
