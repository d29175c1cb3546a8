// SPDX-License-Identifier: Apache-2.0

// The columns of a to-one relationship of the new version, from whatever the old one had.

import ObjectGraph
import SQLiteDriver

/// A to-one relationship of an entity of the new version, as expressions over the old row `t` of an object.
///
/// If the relationship has no source, its inverse's links are read from the other side. Of several links the first by
/// place, and then by key, remains.
struct CopiedLink {
    private let relationship: RelationshipDescription
    private let plan: ResolvedMapping.EntityPlan
    private let table: EntityTable
    private let old: StoreSchema
    private let new: StoreSchema
    private let mapping: ResolvedMapping
    /// What becomes the destinations.
    private let destinations: [ResolvedMapping.EntityPlan]

    init(
        _ relationship: RelationshipDescription,
        of plan: ResolvedMapping.EntityPlan,
        in table: EntityTable,
        from old: StoreSchema,
        to new: StoreSchema,
        by mapping: ResolvedMapping
    ) {
        self.relationship = relationship
        self.plan = plan
        self.table = table
        self.old = old
        self.new = new
        self.mapping = mapping
        let destination = new.model.destination(of: relationship)
        // The keys of a source are those of its own destination's table.
        let former = plan.relationships[relationship.name].map { old.model.destination(of: $0) }
        destinations = mapping.plans.filter { other in
            other.destination.isKind(of: destination) && former.map(other.source.isKind) ?? true
        }
    }

    /// The old table of the destinations; nil if there are none.
    private var destinationTable: EntityTable? { destinations.first.flatMap { old.table(of: $0.source) } }

    private var source: RelationshipDescription? { plan.relationships[relationship.name] }

    /// The columns of a source that is a to-one relationship, too.
    private var columns: ToOneColumns? {
        source.flatMap { $0.isToMany ? nil : table[plan.source].toOnes[$0.slot] }
    }

    /// The key of the destination.
    var key: CopiedExpression {
        guard let destinationTable else { return .constant(.null) }
        let destination: SQL = "\(identifier: destinationTable.name) d"
        let isDestination: SQL = "d.Z_ENT IN \(SQL.numbers(destinations.map { old.numbers[$0.source] }))"
        if let columns {
            let column = CopiedExpression.column(table.name(ofColumn: columns.key))
            if keepsAllDestinations { return column }
            return .computed("(SELECT d.Z_PK FROM \(destination) WHERE d.Z_PK = \(column.sql) AND \(isDestination))")
        }
        if let source, let links = StoredLinks(source, of: plan.source, in: old) {
            return .computed(
                """
                (SELECT d.Z_PK FROM (\(links.query)) l JOIN \(destination) ON d.Z_PK = l.member \
                WHERE l.owner = t.Z_PK AND \(isDestination) ORDER BY l.place, d.Z_PK LIMIT 1)
                """
            )
        }
        guard let links = inverseLinks else { return .constant(.null) }
        return .computed(
            """
            (SELECT d.Z_PK FROM (\(links)) l JOIN \(destination) ON d.Z_PK = l.owner \
            WHERE l.member = t.Z_PK AND \(isDestination) ORDER BY d.Z_PK LIMIT 1)
            """
        )
    }

    /// The number of the destination's entity.
    var entity: CopiedExpression {
        guard let destinationTable else { return .constant(.null) }
        let isRenumbered = destinations.contains { old.numbers[$0.source] != new.numbers[$0.destination] }
        if let entity = columns?.entity, keepsAllDestinations, !isRenumbered {
            return .column(table.name(ofColumn: entity))
        }
        let cases = destinations.map { plan in
            """
            WHEN \(literal: .integer(old.numbers[plan.source])) THEN \(literal: .integer(new.numbers[plan.destination]))
            """ as SQL
        }
        return .computed(
            """
            (SELECT CASE d.Z_ENT \(cases.joined(separator: " ")) END FROM \(identifier: destinationTable.name) d \
            WHERE d.Z_PK = \(key.sql))
            """
        )
    }

    /// The order value among the members of the destination; null if the old version has none.
    var place: CopiedExpression {
        if let order = columns?.order { return .column(table.name(ofColumn: order)) }
        guard let links = inverseLinks else { return .constant(.null) }
        return .computed("(SELECT l.place FROM (\(links)) l WHERE l.owner = \(key.sql) AND l.member = t.Z_PK LIMIT 1)")
    }

    /// Whether each object that the source can refer to is a destination.
    private var keepsAllDestinations: Bool {
        guard let source else { return false }
        let kept = Set(destinations.map(\.source))
        return old.model.entities.allSatisfy { entity in
            entity.isAbstract || !entity.isKind(of: old.model.destination(of: source)) || kept.contains(entity)
        }
    }

    /// The links of the old relationships that become the inverse.
    private var inverseLinks: SQL? {
        guard let inverse = relationship.inverse else { return nil }
        var queries: [SQL] = []
        for plan in destinations {
            guard let source = plan.relationships[inverse.name],
                self.plan.source.isKind(of: old.model.destination(of: source)),
                let links = StoredLinks(source, of: plan.source, in: old), !queries.contains(links.query)
            else { continue }
            queries.append(links.query)
        }
        return queries.isEmpty ? nil : queries.joined(separator: " UNION ALL ")
    }
}
