// SPDX-License-Identifier: Apache-2.0

// The statement that fills a table of pairs of the new version.

import ObjectGraph
import SQLiteDriver

/// A table of pairs of the new version, filled with the links of the old one.
///
/// 1. Each pair is there once, whichever side of a relationship named it in the old version.
/// 2. Both objects of a pair exist, and each has an entity of its side.
struct CopiedPairs {
    private let relationship: RelationshipDescription
    private let owner: EntityDescription
    private let view: PairsView
    private let old: StoreSchema
    private let new: StoreSchema
    private let mapping: ResolvedMapping

    /// - Parameters:
    ///   - relationship: The side that owns the pairs.
    ///   - owner: The entity that declares it.
    init(
        _ relationship: RelationshipDescription,
        of owner: EntityDescription,
        _ view: PairsView,
        from old: StoreSchema,
        to new: StoreSchema,
        by mapping: ResolvedMapping
    ) {
        self.relationship = relationship
        self.owner = owner
        self.view = view
        self.old = old
        self.new = new
        self.mapping = mapping
    }

    /// Whether the old version has a table with exactly these pairs.
    var isKept: Bool {
        guard !view.table.isColumn, isSame(relationship, of: owner, view) else { return false }
        if let inverse, !isSame(inverse, of: destination, view.reversed) { return false }
        let sources = mapping.plans.compactMap { $0.relationships[relationship.name] }
            .filter { old.pairs(of: $0) == view }
        guard let source = sources.first else { return false }
        return keepsAll(having: { $0.relationships.contains(source) }, as: owner)
            && keepsAll(having: { [old] in $0.isKind(of: old.model.destination(of: source)) }, as: destination)
    }

    /// Whether each entity with a side of the relationship had the same pairs.
    private func isSame(_ side: RelationshipDescription, of entity: EntityDescription, _ view: PairsView) -> Bool {
        mapping.plans.allSatisfy { plan in
            !plan.destination.isKind(of: entity) || plan.relationships[side.name].flatMap(old.pairs(of:)) == view
        }
    }

    /// Whether no object at an end of the old pairs is deleted, or leaves the entity of that end.
    private func keepsAll(having isEnd: (EntityDescription) -> Bool, as entity: EntityDescription) -> Bool {
        old.model.entities.allSatisfy { former in
            former.isAbstract || !isEnd(former)
                || mapping.plan(of: former)?.destination.isKind(of: entity) ?? false
        }
    }

    /// The statement that fills a table; nil if there are no pairs.
    func filling(of name: String) -> SQL? {
        let links = self.links
        guard !links.isEmpty else { return nil }
        let columns = [view.own.key, view.other.key] + [view.other.order, view.own.order].compactMap(\.self)
        var values: [SQL] = ["l.owner", "l.member"]
        if view.other.order != nil { values.append("l.place") }
        if view.own.order != nil { values.append("l.back") }
        return """
            INSERT OR IGNORE INTO \(identifier: name) (\(columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM (\(links.joined(separator: " UNION ALL "))) l
            """
    }

    /// Removes pairs of objects that don't exist, or are of another entity, from the filled table.
    func removeStrays(from name: String, _ connection: Connection) throws {
        for (end, entity) in [(view.own, owner), (view.other, destination)] {
            guard let table = new.table(of: entity) else { continue }
            let numbers = SQL.numbers(new.model.kinds(of: entity).map { new.numbers[$0] })
            try connection.execute(
                """
                DELETE FROM \(identifier: name) WHERE NOT EXISTS (\
                SELECT 1 FROM \(identifier: table.name) o WHERE o.Z_PK = \(identifier: end.key) AND o.Z_ENT IN \(numbers))
                """
            )
        }
    }

    /// The links in the direction of the relationship, as queries; those of the inverse are reversed, and where a
    /// relationship is its own inverse, each link is there in both directions.
    private var links: [SQL] {
        var links = queries(of: relationship, below: owner)
        if let inverse {
            links += queries(of: inverse, below: destination).map(Self.reversed)
        } else if view.table.isReflexive {
            links += links.map(Self.reversed)
        }
        return links
    }

    private var destination: EntityDescription { new.model.destination(of: relationship) }

    private var inverse: RelationshipDescription? {
        guard !view.table.isReflexive, let inverse = relationship.inverse else { return nil }
        return destination.toManys[inverse.slot]
    }

    private func queries(of relationship: RelationshipDescription, below entity: EntityDescription) -> [SQL] {
        var queries: [SQL] = []
        let other = new.model.destination(of: relationship)
        for plan in mapping.plans where plan.destination.isKind(of: entity) {
            guard let source = plan.relationships[relationship.name], mapping.connects(source, to: other),
                let query = StoredLinks(source, of: plan.source, in: old)?.query, !queries.contains(query)
            else { continue }
            queries.append(query)
        }
        return queries
    }

    private static func reversed(_ query: SQL) -> SQL {
        "SELECT member AS owner, owner AS member, back AS place, place AS back FROM (\(query))"
    }
}
