// SPDX-License-Identifier: Apache-2.0

// The orders of ordered one-to-many relationships at a moment.

import ObjectGraph
import SQLiteDriver

/// Takes the order of the members of a relationship back to a moment, where nothing but their order may have changed:
/// the members' own rows don't record this.
struct RewoundOrders {
    private let relationship: RelationshipDescription
    private let owner: EntityDescription
    private let table: EntityTable
    private let key: String
    private let order: String
    private let changes: ChangesOverTime
    private let older: Connection
    private let newer: Connection

    /// Nil if the members of the relationship have no order in their rows.
    init?(
        _ relationship: RelationshipDescription,
        of owner: EntityDescription,
        _ schema: StoreSchema,
        _ changes: ChangesOverTime,
        from older: Connection,
        in newer: Connection
    ) {
        let member = schema.model.destination(of: relationship)
        guard relationship.isToMany, relationship.isOrdered, let inverse = relationship.inverse, !inverse.isToMany,
            let table = schema.table(of: member), let columns = table[member].toOnes[inverse.slot],
            let order = columns.order
        else { return nil }
        self.relationship = relationship
        self.owner = owner
        self.table = table
        key = table.name(ofColumn: columns.key)
        self.order = table.name(ofColumn: order)
        self.changes = changes
        self.older = older
        self.newer = newer
    }

    func run(_ unknown: inout UnknownProperties) throws {
        for ownerKey in changes.changedKeys(ofRoot: owner.rootIndex) {
            guard let change = changes[owner.rootIndex, ownerKey], change.entity.isKind(of: owner) else { continue }
            let bit = changes.bit(of: relationship.name, in: change.entity)
            guard change.existed == true, change.after.isWhole || change.after.changes(bit) else { continue }
            guard !change.before.isWhole, !change.before.changes(bit) else {
                unknown.add(relationship.name, of: RewindReport.Object(entity: change.entity.name, key: ownerKey))
                continue
            }
            let name = SQL.identifier(table.name)
            let former = try older.rows(
                "SELECT Z_PK, \(identifier: order) FROM \(name) WHERE \(identifier: key) = \(value: .integer(ownerKey))"
            ) { ($0.int64(0), $0.value(1)) }
            for (member, value) in former {
                try newer.execute(
                    """
                    UPDATE \(name) SET \(identifier: order) = \(value: value) WHERE Z_PK = \(value: .integer(member)) \
                    AND \(identifier: key) = \(value: .integer(ownerKey))
                    """
                )
            }
        }
    }
}
