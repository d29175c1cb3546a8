// SPDX-License-Identifier: Apache-2.0

// Follows a relationship from a set of rows in SQL.

import ObjectGraph
import SQLiteDriver

/// A relationship of the rows in a key table, with the tables that it joins.
struct RelationshipRows {
    let relationship: RelationshipDescription
    let owner: EntityTable
    let ownerRoot: Int64
    /// The numbers of the entities that have the relationship; nil for all of the table.
    let ownerKinds: [Int64]?
    let destination: EntityDescription
    let destinationRoot: Int64
    private let joins: SQL

    /// Nil for a relationship without a table in this store.
    init?(_ relationship: RelationshipDescription, of entity: EntityDescription, _ schema: StoreSchema) {
        destination = schema.model.destination(of: relationship)
        guard let owner = schema.table(of: entity), let table = schema.table(of: destination) else { return nil }
        if relationship.isToMany {
            guard let join = schema.join(to: relationship, owner: "o", member: "m") else { return nil }
            joins = join.tables
        } else {
            guard let columns = owner[entity].toOnes[relationship.slot] else { return nil }
            joins = """
                CROSS JOIN \(identifier: owner.name) AS t ON t.Z_PK = o.Z_PK \
                CROSS JOIN \(identifier: table.name) AS m ON m.Z_PK = t.\(identifier: owner.columns[columns.key].name)
                """
        }
        self.relationship = relationship
        self.owner = owner
        ownerRoot = schema.rootNumber(of: entity)
        destinationRoot = schema.rootNumber(of: destination)
        let all = schema.model.kinds(of: owner.root)
        let having = all.filter { $0.relationships.contains(relationship) }
        ownerKinds = having.count == all.count ? nil : having.map { schema.numbers[$0] }
    }

    /// The destinations, as `m`, of the rows in a key table that have the relationship.
    func destinations(from keys: SQL) -> SQL {
        let kinds = ownerKinds.map { " AND o.Z_ENT IN \(SQL.numbers($0))" as SQL } ?? ""
        return "FROM \(keys) AS o \(joins) WHERE o.ZROOT = \(literal: .integer(ownerRoot))\(kinds)"
    }

    /// The destinations, as `m`, of the rows in a key table, as `o`, that aren't in the table themselves.
    func survivors(of keys: KeyTable) -> SQL {
        "\(destinations(from: keys.name)) AND NOT \(keys.contains("m", root: destinationRoot))"
    }

    /// The destinations, as `m`, of all rows with keys that a query returns.
    func destinations(ofRows query: SQL) -> SQL { "FROM (\(query)) AS o \(joins)" }

    /// The columns of a to-one inverse.
    func inverseColumns(_ schema: StoreSchema) -> (table: EntityTable, columns: ToOneColumns)? {
        guard let inverse = relationship.inverse, !inverse.isToMany, let table = schema.table(of: destination),
            let columns = table[destination].toOnes[inverse.slot]
        else { return nil }
        return (table, columns)
    }
}

extension StoreSchema {
    /// The stored relationships of some entities, each once.
    func relationships(of entities: some Sequence<EntityDescription>) -> [RelationshipRows] {
        var known: Set<RelationshipDescription> = []
        return entities.flatMap { entity in
            entity.relationships.filter { !$0.isTransient && known.insert($0).inserted }
                .compactMap { RelationshipRows($0, of: entity, self) }
        }
    }
}
