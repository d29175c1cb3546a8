// SPDX-License-Identifier: Apache-2.0

// The pairs of a many-to-many relationship at a moment.

import ObjectGraph
import SQLiteDriver

/// Takes the pairs of one table back to a moment.
///
/// 1. A new or removed pair is recorded as a change of both of its objects, unless one of them was inserted or deleted, or
///    the relationship has no inverse. So a pair is that of the newer state if one of its objects hasn't changed its members
///    since the moment, and that of the older state if one of them hadn't before.
/// 2. Otherwise it isn't known, and is as in the older state. There may have been pairs that neither state has, too.
struct RewoundPairs {
    private struct Pair: Hashable {
        let own: Int64
        let other: Int64
    }

    /// The order values of both ends.
    private typealias Orders = [SQLValue]

    private let relationship: RelationshipDescription
    private let view: PairsView
    private let changes: ChangesOverTime
    private let own: EntityDescription
    private let other: EntityDescription
    private let older: Connection
    private let newer: Connection

    private static let batchSize = 200

    /// - Parameter view: The pairs seen from the end that the table is named after.
    init(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription,
        _ view: PairsView,
        _ model: ManagedObjectModel,
        _ changes: ChangesOverTime,
        from older: Connection,
        in newer: Connection
    ) {
        self.relationship = relationship
        self.view = view
        self.changes = changes
        own = entity
        other = model.destination(of: relationship)
        self.older = older
        self.newer = newer
    }

    func run(_ unknown: inout UnknownProperties) throws {
        let owners = changedKeys(of: own, relationship.name)
        let members = changedKeys(of: other, relationship.inverse?.name)
        let now = try pairs(owners: owners, members: members, in: newer)
        let then = try pairs(owners: owners, members: members, in: older)
        addUnknown(among: owners, and: members, &unknown)
        addOwners(ofDeleted: members, &unknown)
        var rewound: [(pair: Pair, orders: Orders)] = []
        for pair in Set(now.keys).union(then.keys) {
            guard changes.existed(own.rootIndex, pair.own), changes.existed(other.rootIndex, pair.other) else {
                continue
            }
            let isNow = now[pair] != nil
            let isThen = then[pair] != nil
            guard hasChanged(pair, \.after) ? isThen : isNow else { continue }
            rewound.append((pair, orders(of: pair, now: now[pair], then: then[pair], &unknown)))
        }
        for pair in now.keys { try remove(pair) }
        for (pair, orders) in rewound { try insert(pair, orders) }
    }

    /// The keys of objects whose members may have changed since the moment.
    private func changedKeys(of entity: EntityDescription, _ property: String?) -> [Int64] {
        changes.changedKeys(ofRoot: entity.rootIndex).filter { key in
            guard let change = changes[entity.rootIndex, key], change.entity.isKind(of: entity) else { return false }
            return change.after.isWhole || changes.bit(of: property, in: change).map(change.after.changes) ?? false
        }
    }

    private func hasChanged(_ pair: Pair, _ phase: KeyPath<ObjectChanges, ChangePhase>) -> Bool {
        let owner = changes[own.rootIndex, pair.own]
        let member = changes[other.rootIndex, pair.other]
        if [owner, member].contains(where: { $0?[keyPath: phase].isWhole ?? false }) { return true }
        func changesMembers(_ change: ObjectChanges?, _ property: String?) -> Bool {
            guard let change else { return false }
            return change[keyPath: phase].changes(changes.bit(of: property, in: change))
        }
        guard changesMembers(owner, relationship.name) else { return false }
        return relationship.inverse == nil || changesMembers(member, relationship.inverse?.name)
    }

    /// Reports objects whose members have changed before and since: a pair may have existed only meanwhile. Unless the object
    /// was deleted, there must be such an object at the other end, too.
    private func addUnknown(among owners: [Int64], and members: [Int64], _ unknown: inout UnknownProperties) {
        let ends = [(owners, own, relationship.name), (members, other, relationship.inverse?.name)]
        let changed = ends.map { keys, entity, property in
            keys.compactMap { key in
                changes[entity.rootIndex, key].flatMap { change in
                    change.existed == true && hasChangedBefore(change, property) ? (key, change) : nil
                }
            }
        }
        for (place, end) in ends.enumerated() {
            guard let property = end.2 else { continue }
            let isCertain = relationship.inverse != nil && changed[1 - place].isEmpty
            for (key, change) in changed[place] where !isCertain || change.after.isWhole {
                unknown.add(property, of: RewindReport.Object(entity: change.entity.name, key: key))
            }
        }
    }

    /// Reports owners that may have had members which were deleted since, in a relationship without an inverse: nothing
    /// records the removal of such a pair.
    private func addOwners(ofDeleted members: [Int64], _ unknown: inout UnknownProperties) {
        guard relationship.inverse == nil, members.contains(where: { changes.existed(other.rootIndex, $0) }) else {
            return
        }
        for (object, change) in changes.objects where object.root == own.rootIndex {
            guard change.entity.isKind(of: own), changes.existed(object.root, object.key),
                hasChangedBefore(change, relationship.name)
            else { continue }
            unknown.add(relationship.name, of: RewindReport.Object(entity: change.entity.name, key: object.key))
        }
    }

    private func hasChangedBefore(_ change: ObjectChanges, _ property: String?) -> Bool {
        change.before.isWhole || change.before.changes(changes.bit(of: property, in: change))
    }

    // MARK: Orders

    private var orderColumns: [String?] { [view.own.order, view.other.order] }

    /// The order of each end is that of the list at the other end.
    private func orders(of pair: Pair, now: Orders?, then: Orders?, _ unknown: inout UnknownProperties) -> Orders {
        let ownOrder = order(
            of: pair.other,
            other,
            relationship.inverse?.name,
            isOrdered: view.own.order != nil,
            (now?[0], then?[0]),
            &unknown
        )
        let otherOrder = order(
            of: pair.own,
            own,
            relationship.name,
            isOrdered: view.other.order != nil,
            (now?[1], then?[1]),
            &unknown
        )
        return [ownOrder, otherOrder]
    }

    private func order(
        of key: Int64,
        _ entity: EntityDescription,
        _ property: String?,
        isOrdered: Bool,
        _ values: (now: SQLValue?, then: SQLValue?),
        _ unknown: inout UnknownProperties
    ) -> SQLValue {
        guard isOrdered, let property else { return .null }
        guard let change = changes[entity.rootIndex, key] else { return values.now ?? values.then ?? .null }
        let bit = changes.bit(of: property, in: change)
        guard change.after.isWhole || change.after.changes(bit) else { return values.now ?? values.then ?? .null }
        if change.before.isWhole || change.before.changes(bit) {
            unknown.add(property, of: RewindReport.Object(entity: change.entity.name, key: key))
        }
        return values.then ?? values.now ?? .null
    }

    // MARK: Rows

    private var table: SQL { .identifier(view.table.name) }
    private var columns: [String] { [view.own.key, view.other.key] + orderColumns.compactMap(\.self) }

    private func pairs(owners: [Int64], members: [Int64], in connection: Connection) throws -> [Pair: Orders] {
        var pairs: [Pair: Orders] = [:]
        for (column, keys) in [(view.own.key, owners), (view.other.key, members)] {
            for batch in keys.batches(of: Self.batchSize) {
                let names = columns.map { SQL.identifier($0) }.joined(separator: ", ")
                let query: SQL = "SELECT \(names) FROM \(table) WHERE \(identifier: column) IN \(.keys(Array(batch)))"
                try connection.run(query) { row in
                    var place: Int32 = 1
                    let orders = orderColumns.map { column -> SQLValue in
                        guard column != nil else { return .null }
                        place += 1
                        return row.value(place)
                    }
                    pairs[Pair(own: row.int64(0), other: row.int64(1))] = orders
                }
            }
        }
        return pairs
    }

    private func remove(_ pair: Pair) throws(SQLiteError) {
        try newer.execute(
            """
            DELETE FROM \(table) WHERE \(identifier: view.own.key) = \(value: .integer(pair.own)) \
            AND \(identifier: view.other.key) = \(value: .integer(pair.other))
            """
        )
    }

    private func insert(_ pair: Pair, _ orders: Orders) throws(SQLiteError) {
        let names = columns.map { SQL.identifier($0) }.joined(separator: ", ")
        let ordered = zip(orderColumns, orders).filter { $0.0 != nil }.map(\.1)
        let values = ([.integer(pair.own), .integer(pair.other)] + ordered).map { SQL.value($0) }
        try newer.execute("INSERT INTO \(table) (\(names)) VALUES (\(values.joined(separator: ", ")))")
    }
}

extension ChangesOverTime {
    fileprivate func bit(of property: String?, in change: ObjectChanges) -> Int? {
        property.flatMap { bit(of: $0, in: change.entity) }
    }
}
