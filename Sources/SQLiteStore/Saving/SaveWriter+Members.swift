// SPDX-License-Identifier: Apache-2.0

// Writes changes of members that aren't in their rows: pairs and order values.

import ObjectGraph
import SQLiteDriver

extension SaveWriter {
    /// - Parameters:
    ///   - present: The rows that exist. Another writer may have deleted a row that is only a member: the save doesn't
    ///     update it, so its version isn't checked.
    ///   - gone: The rows that the save has deleted, together with their pairs.
    func change(
        _ change: StoreSaveRequest.MembersChange,
        present: Set<ManagedObjectID>,
        gone: Set<ManagedObjectID>
    ) throws {
        guard present.contains(change.owner) else { return }
        let owner = try key(change.owner)
        let added = try change.added.map(key)
        let view = tables.schema.pairs(of: change.relationship)
        if let view {
            for member in change.removed where !gone.contains(member) { try remove(owner, key(member), view) }
            for (objectID, member) in zip(change.added, added) where present.contains(objectID) {
                try add(owner, member, view)
            }
        }
        guard let list = tables.schema.order(of: change.relationship) else { return }
        // A member that the relationship had before the save stays in its place.
        let appended = view == nil ? added : order.appended(among: added, list.columns, owner: owner)
        if !order.isLast(appended, list.columns, owner: owner) {
            for member in appended {
                try move(member, of: owner, to: try order.next(list.columns, owner: owner, member: member), list)
            }
        }
        guard let wanted = try change.order?.map(key) else { return }
        try order.arrange(try members(of: owner, list), as: wanted, list.columns, owner: owner) { member, place in
            try move(member, of: owner, to: place, list)
        }
    }
}

// MARK: Pairs

extension SaveWriter {
    private func add(_ owner: Int64, _ member: Int64, _ view: PairsView) throws {
        guard !view.table.isColumn else { return try setOwner(owner, of: member, view) }
        try insertPair(owner, member, view)
        if view.table.isReflexive, owner != member { try insertPair(member, owner, view) }
    }

    private func insertPair(_ owner: Int64, _ member: Int64, _ view: PairsView) throws {
        let name = view.table.name
        let isKnown: SQL = """
            SELECT 1 FROM \(identifier: name) WHERE \(identifier: view.own.key) = \(value: .integer(owner)) \
            AND \(identifier: view.other.key) = \(value: .integer(member))
            """
        if try connection.first(isKnown, { _ in true }) ?? false { return }
        var columns: [SQL] = ["\(identifier: view.own.key)", "\(identifier: view.other.key)"]
        var values: [SQLValue] = [.integer(owner), .integer(member)]
        if let place = view.other.order {
            let list = MemberOrder.Columns(table: name, owner: view.own.key, order: place)
            columns.append("\(identifier: place)")
            values.append(.integer(try order.next(list, owner: owner, member: member)))
        }
        if let place = view.own.order {
            let list = MemberOrder.Columns(table: name, owner: view.other.key, order: place)
            columns.append("\(identifier: place)")
            values.append(.integer(try order.next(list, owner: member, member: owner)))
        }
        try connection.execute(
            """
            INSERT INTO \(identifier: name) (\(columns.joined(separator: ", "))) \
            VALUES (\(values.map { "\(value: $0)" as SQL }.joined(separator: ", ")))
            """
        )
    }

    private func remove(_ owner: Int64, _ member: Int64, _ view: PairsView) throws {
        let own: SQL = "\(identifier: view.own.key)"
        let other: SQL = "\(identifier: view.other.key)"
        let owner = SQLValue.integer(owner)
        let member = SQLValue.integer(member)
        if view.table.isColumn {
            return try connection.execute(
                """
                UPDATE \(identifier: view.table.name) SET \(own) = NULL \
                WHERE \(other) = \(value: member) AND \(own) = \(value: owner)
                """
            )
        }
        try connection.execute(
            "DELETE FROM \(identifier: view.table.name) WHERE \(own) = \(value: owner) AND \(other) = \(value: member)"
        )
        guard view.table.isReflexive else { return }
        try connection.execute(
            "DELETE FROM \(identifier: view.table.name) WHERE \(own) = \(value: member) AND \(other) = \(value: owner)"
        )
    }

    /// If a member can have only one owner, the last one wins.
    private func setOwner(_ owner: Int64, of member: Int64, _ view: PairsView) throws {
        try connection.execute(
            """
            UPDATE \(identifier: view.table.name) SET \(identifier: view.own.key) = \(value: .integer(owner)) \
            WHERE Z_PK = \(value: .integer(member))
            """
        )
    }
}

// MARK: Order values

/// The columns with an ordered relationship's order values.
struct MemberList: Hashable {
    let columns: MemberOrder.Columns
    /// The column of the members' keys.
    let member: String
}

extension StoreSchema {
    /// Nil for an unordered relationship.
    func order(of relationship: RelationshipDescription) -> MemberList? {
        if let view = pairs(of: relationship) {
            return view.other.order.map { place in
                MemberList(
                    columns: .init(table: view.table.name, owner: view.own.key, order: place),
                    member: view.other.key
                )
            }
        }
        let destination = model.destination(of: relationship)
        guard relationship.isToMany, !relationship.isManyToMany, let table = table(of: destination),
            let slot = relationship.inverse?.slot,
            let columns = table[destination].toOnes[slot], let place = columns.order
        else { return nil }
        return MemberList(
            columns: .init(
                table: table.name,
                owner: table.columns[columns.key].name,
                order: table.columns[place].name
            ),
            member: SystemColumn.key
        )
    }
}

extension SaveWriter {
    private func members(of owner: Int64, _ list: MemberList) throws -> [(key: Int64, place: Int64)] {
        let columns = list.columns
        return try connection.rows(
            """
            SELECT \(identifier: list.member), \(identifier: columns.order) FROM \(identifier: columns.table) \
            WHERE \(identifier: columns.owner) = \(value: .integer(owner)) \
            ORDER BY \(identifier: columns.order), \(identifier: list.member)
            """
        ) { ($0.int64(0), $0.int64(1)) }
    }

    private func move(_ member: Int64, of owner: Int64, to place: Int64, _ list: MemberList) throws {
        let columns = list.columns
        try connection.execute(
            """
            UPDATE \(identifier: columns.table) SET \(identifier: columns.order) = \(value: .integer(place)) \
            WHERE \(identifier: list.member) = \(value: .integer(member)) \
            AND \(identifier: columns.owner) = \(value: .integer(owner))
            """
        )
    }
}
