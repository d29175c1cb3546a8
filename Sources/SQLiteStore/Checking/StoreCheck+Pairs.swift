// SPDX-License-Identifier: Apache-2.0

// Checks relationships stored as pairs: both objects exist, and a reflexive pair is there in both directions.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    func pairFlaws() throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        // In the model's order, so that the order of findings is stable.
        for entity in schema.model.entities {
            for relationship in entity.toManys
            where entity.entity.relationships.contains(where: { $0.name == relationship.name }) {
                guard let view = schema.pairs(of: relationship), view.isOwner else { continue }
                let target = schema.model.destination(of: relationship)
                if view.table.isColumn {
                    flaws.append(try columnFlaw(relationship, of: entity, to: target, view.table))
                } else {
                    flaws.append(try endFlaw(relationship, of: entity, to: target, view.table))
                    if view.table.isReflexive { flaws.append(try reflexiveFlaw(relationship, of: entity, view.table)) }
                }
            }
        }
        return flaws.compactMap(\.self)
    }

    private func endFlaw(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription,
        to target: EntityDescription,
        _ pairs: PairTable
    ) throws -> StoreFlaw? {
        guard let owners = schema.table(of: entity), let members = schema.table(of: target) else { return nil }
        func lacks(_ column: String, _ table: EntityTable, _ entity: EntityDescription) -> SQL {
            """
            NOT EXISTS (SELECT 1 FROM \(identifier: table.name) AS e \
            WHERE e.Z_PK = p.\(identifier: column) AND e.Z_ENT IN \(numbers(of: entity)))
            """
        }
        let isWrong: SQL = """
            \(lacks(pairs.owner.key, owners, entity)) OR \(lacks(pairs.member.key, members, target))
            """
        let ends = entity == target ? entity.name : "\(entity.name) or \(target.name)"
        // Readers skip such pairs; Core Data itself leaves some behind.
        return try flaw(
            .pair,
            .warning,
            of: entity,
            relationship.name,
            keys:
                "SELECT p.\(identifier: pairs.owner.key) FROM \(identifier: pairs.name) AS p WHERE \(isWrong) ORDER BY 1",
            repair: ("removes the pairs", ["DELETE FROM \(identifier: pairs.name) AS p WHERE \(isWrong)"])
        ) { count in
            "\(count == 1 ? "1 pair has" : "\(count) pairs have") no object of \(ends) at one end."
        }
    }

    private func reflexiveFlaw(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription,
        _ pairs: PairTable
    ) throws -> StoreFlaw? {
        let one: SQL = "\(identifier: pairs.owner.key)"
        let other: SQL = "\(identifier: pairs.member.key)"
        guard let table = schema.table(of: entity) else { return nil }
        let areThere: SQL = """
            (SELECT count(*) FROM \(identifier: table.name) WHERE Z_PK IN (p.\(one), p.\(other))) = 2
            """
        let isAlone: SQL = """
            \(areThere) AND \
            NOT EXISTS (SELECT 1 FROM \(identifier: pairs.name) AS q WHERE q.\(one) = p.\(other) AND q.\(other) = p.\(one))
            """
        var columns: [SQL] = [one, other]
        var values: [SQL] = ["p.\(other)", "p.\(one)"]
        if let place = pairs.member.order {
            // The added member comes last.
            columns.append("\(identifier: place)")
            values.append(
                """
                ifnull((SELECT MAX(q.\(identifier: place)) FROM \(identifier: pairs.name) AS q \
                WHERE q.\(one) = p.\(other)), 0) + \(literal: .integer(MemberOrder.step))
                """
            )
        }
        let adding: SQL = """
            INSERT INTO \(identifier: pairs.name) (\(columns.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM \(identifier: pairs.name) AS p WHERE \(isAlone)
            """
        return try flaw(
            .reflexive,
            of: entity,
            relationship.name,
            keys: "SELECT p.\(one) FROM \(identifier: pairs.name) AS p WHERE \(isAlone) ORDER BY 1",
            repair: ("adds the reverse pairs", [adding])
        ) {
            "\($0 == 1 ? "1 pair has" : "\($0) pairs have") no reverse pair, in a relationship that is its own inverse."
        }
    }

    /// Finds stale owners in the members' column of a relationship without an inverse: deletions leave them behind.
    private func columnFlaw(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription,
        to target: EntityDescription,
        _ pairs: PairTable
    ) throws -> StoreFlaw? {
        guard let owners = schema.table(of: entity) else { return nil }
        let owner: SQL = "p.\(identifier: pairs.owner.key)"
        return try flaw(
            .dangling,
            .note,
            of: entity,
            relationship.name,
            keys: """
                SELECT p.Z_PK FROM \(identifier: pairs.name) AS p WHERE \(owner) IS NOT NULL AND NOT EXISTS \
                (SELECT 1 FROM \(identifier: owners.name) AS e WHERE e.Z_PK = \(owner) AND e.Z_ENT IN \(numbers(of: entity)))
                """
        ) { "\($0.objects("is a member", "are members")) of an object of \(entity.name) that doesn't exist." }
    }
}
