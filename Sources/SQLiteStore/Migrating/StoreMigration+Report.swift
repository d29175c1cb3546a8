// SPDX-License-Identifier: Apache-2.0

// What a stage of a migration loses, and which rows break rules that are new.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreMigration {
    /// What becomes of each entity's objects, and what is lost. Must be called before the stage runs.
    func result() throws -> MigrationReport.Stage {
        var stage = MigrationReport.Stage()
        let keptNames = Set(kept.map(\.formerName))
        for plan in mapping.plans {
            guard let table = old.table(of: plan.source) else { continue }
            // A configuration may not have the entity any more.
            let isDeleted = new.table(of: plan.destination) == nil
            let isKept = keptNames.contains(table.name) && plan.rules == nil
            stage.entities.append(
                .init(
                    name: plan.destination.name,
                    formerName: plan.source.name,
                    outcome: isDeleted ? .deleted : isKept ? .kept : .rewritten,
                    objectCount: isKept ? nil : try count(of: plan.source)
                )
            )
            stage.losses += try losses(of: plan, in: table)
        }
        for name in mapping.mapping.removed {
            guard let entity = mapping.old.entity(named: name), old.table(of: entity) != nil else { continue }
            let count = try count(of: entity)
            stage.entities.append(.init(name: name, formerName: name, outcome: .deleted, objectCount: count))
        }
        return stage
    }

    private func count(of entity: EntityDescription) throws -> Int {
        guard let table = old.table(of: entity) else { return 0 }
        return try count("SELECT count(*) FROM \(identifier: table.name) WHERE Z_ENT = \(number(of: entity))")
    }

    private func number(of entity: EntityDescription) -> SQL { "\(literal: .integer(old.numbers[entity]))" }

    private func count(_ query: SQL) throws -> Int { Int(try connection.first(query) { $0.int64(0) } ?? 0) }

    private func losses(of plan: ResolvedMapping.EntityPlan, in table: EntityTable) throws -> [MigrationReport.Loss] {
        var losses: [MigrationReport.Loss] = []
        func add(_ property: String, _ query: SQL?) throws {
            guard let query, case let count = try count(query), count > 0 else { return }
            losses.append(.init(entity: plan.source.name, property: property, objectCount: count))
        }
        let rows: SQL = "FROM \(identifier: table.name) WHERE Z_ENT = \(number(of: plan.source))"
        for property in mapping.lost(of: plan) {
            switch property {
            case .attribute(let attribute):
                let condition = table[plan.source].attributes[attribute.slot].isPresent(in: table)
                try add(property.name, condition.map { "SELECT count(*) \(rows) AND \($0)" })
            case .relationship(let relationship):
                try add(property.name, links(of: relationship, plan.source, in: old))
            case .fetched: break
            }
        }
        return losses
    }

    /// The number of references in each relationship that continues, by entity and name in the old version.
    typealias LinkCounts = [String: Int]

    /// The references before the stage runs, in relationships that may lose some.
    func linkCounts() throws -> LinkCounts {
        var counts: LinkCounts = [:]
        // A configuration may not have an entity any more.
        let keepsTables = mapping.plans.allSatisfy { plan in
            old.table(of: plan.source) == nil || new.table(of: plan.destination) != nil
        }
        for plan in mapping.plans {
            for (name, source) in plan.relationships {
                guard let relationship = plan.destination.relationship(named: name),
                    !keepsTables || !mapping.keepsReferences(of: relationship, from: source)
                        || isOneToOneOfCopied(relationship, of: plan.destination),
                    let query = links(of: source, plan.source, in: old)
                else { continue }
                counts["\(plan.source.name).\(source.name)"] = try count(query)
            }
        }
        return counts
    }

    /// Whether references are cleared that their destination doesn't return.
    private func isOneToOneOfCopied(_ relationship: RelationshipDescription, of entity: EntityDescription) -> Bool {
        guard !relationship.isToMany, relationship.inverse?.isToMany == false else { return false }
        let tables = [entity, new.model.destination(of: relationship)].map { new.table(of: $0)?.name }
        return copied.contains { tables.contains($0.table.name) }
    }

    /// The references that aren't there any more after the stage.
    func lostLinks(before: LinkCounts) throws -> [MigrationReport.Loss] {
        try mapping.plans.flatMap { plan in
            try plan.relationships.compactMap { name, source -> MigrationReport.Loss? in
                guard let relationship = plan.destination.relationship(named: name),
                    let former = before["\(plan.source.name).\(source.name)"], former > 0
                else { return nil }
                let present = try links(of: relationship, plan.destination, in: new).map(count) ?? 0
                guard present < former else { return nil }
                return .init(entity: plan.source.name, property: source.name, objectCount: former - present)
            }
        }
    }

    /// A query that counts the references in a relationship of an entity's objects.
    private func links(
        of relationship: RelationshipDescription,
        _ entity: EntityDescription,
        in schema: StoreSchema
    ) -> SQL? {
        guard let table = schema.table(of: entity), let links = StoredLinks(relationship, of: entity, in: schema) else {
            return nil
        }
        return """
            SELECT count(*) FROM (\(links.query)) l JOIN \(identifier: table.name) o \
            ON o.Z_PK = l.owner AND o.Z_ENT = \(literal: .integer(schema.numbers[entity]))
            """
    }
}

extension AttributeColumns {
    /// A condition for rows that have a value; nil if the attribute has no column.
    fileprivate func isPresent(in table: EntityTable) -> SQL? {
        switch self {
        case .none: return nil
        case .value(let place, _), .composite(let place?, _):
            return "\(identifier: table.name(ofColumn: place)) NOT NULL"
        case .composite(nil, let elements):
            let present = elements.compactMap { $0.columns.isPresent(in: table) }
            return present.isEmpty ? nil : "(\(present.joined(separator: " OR ")))"
        }
    }
}

// MARK: Rules

extension StoreReader {
    /// The objects of an entity that break rules that are new.
    func violations(of plan: ResolvedMapping.EntityPlan) throws -> [MigrationReport.Violation] {
        guard var rules = NewRules(plan) else { return [] }
        try forEachBatch(of: plan.destination) { batch in
            let members = try rules.toManys.map { try self.members(of: $0, owners: batch.map(\.objectID)) }
            for (place, snapshot) in batch.enumerated() {
                rules.check(snapshot, memberCounts: members.map { $0[place].count })
            }
        }
        return rules.violations
    }

    /// Calls a closure with the rows of an entity, without those of subentities, some at a time.
    func forEachBatch(of entity: EntityDescription, _ body: ([Snapshot]) throws -> Void) throws {
        guard let rows = tables.rowReader(of: entity) else { return }
        let number: SQL = "\(literal: .integer(schema.numbers[entity]))"
        var last = Int64.min
        while true {
            let batch = try connection.rows(
                """
                SELECT \(rows.columns(of: "t0")) FROM \(identifier: rows.table.name) AS t0 \
                WHERE t0.Z_PK > \(value: .integer(last)) AND t0.Z_ENT = \(number) \
                ORDER BY t0.Z_PK LIMIT \(literal: .integer(Self.ruleBatchSize))
                """
            ) { rows.snapshot($0) }
            guard let end = batch.last.flatMap({ tables.key(of: $0.objectID) }) else { return }
            try body(batch)
            last = end
        }
    }

    private static let ruleBatchSize: Int64 = 500
}
