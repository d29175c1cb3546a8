// SPDX-License-Identifier: Apache-2.0

// The links of a relationship as a query, however a file stores them.

import ObjectGraph
import SQLiteDriver

/// The links of a relationship, as a query with the columns `owner`, `member`, `place` and `back`: the keys of both
/// objects, the member's order value at the owner, and the owner's at the member; null where there is none.
struct StoredLinks {
    let query: SQL

    /// - Parameter entity: An entity that has the relationship.
    init?(_ relationship: RelationshipDescription, of entity: EntityDescription, in schema: StoreSchema) {
        if let view = schema.pairs(of: relationship) {
            self.init(view)
        } else if relationship.isToMany {
            self.init(toMany: relationship, in: schema)
        } else {
            self.init(toOne: relationship, of: entity, in: schema)
        }
    }

    private init(_ view: PairsView) {
        let place: SQL = view.other.order.map { "\(identifier: $0)" } ?? "NULL"
        let back: SQL = view.own.order.map { "\(identifier: $0)" } ?? "NULL"
        query = """
            SELECT \(identifier: view.own.key) AS owner, \(identifier: view.other.key) AS member, \(place) AS place, \(back) AS back \
            FROM \(identifier: view.table.name) WHERE \(identifier: view.own.key) NOT NULL
            """
    }

    private init?(toOne relationship: RelationshipDescription, of entity: EntityDescription, in schema: StoreSchema) {
        guard let table = schema.table(of: entity), let columns = table[entity].toOnes[relationship.slot] else {
            return nil
        }
        let key: SQL = "\(identifier: table.name(ofColumn: columns.key))"
        let number = schema.numbers[entity]
        let back: SQL = columns.order.map { "\(identifier: table.name(ofColumn: $0))" } ?? "NULL"
        query = """
            SELECT Z_PK AS owner, \(key) AS member, NULL AS place, \(back) AS back FROM \(identifier: table.name) \
            WHERE \(key) NOT NULL AND Z_ENT = \(literal: .integer(number))
            """
    }

    private init?(toMany relationship: RelationshipDescription, in schema: StoreSchema) {
        let destination = schema.model.destination(of: relationship)
        guard let inverse = relationship.inverse, let table = schema.table(of: destination),
            let columns = table[destination].toOnes[inverse.slot]
        else { return nil }
        let key: SQL = "\(identifier: table.name(ofColumn: columns.key))"
        let place: SQL = columns.order.map { "\(identifier: table.name(ofColumn: $0))" } ?? "NULL"
        query = """
            SELECT \(key) AS owner, Z_PK AS member, \(place) AS place, NULL AS back \
            FROM \(identifier: table.name) WHERE \(key) NOT NULL
            """
    }
}
