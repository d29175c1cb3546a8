// SPDX-License-Identifier: Apache-2.0

// What the rules of a migration make of the rows of one entity.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Values that rules compute from the old tables, kept in a temporary table until they are written into the new ones.
struct RuledRows {
    let plan: ResolvedMapping.EntityPlan
    private let rules: ResolvedMapping.EntityRules
    private let mapping: ResolvedMapping
    private let new: StoreTables
    private let connection: Connection
    /// The columns of the new table that the rules write.
    private let columns: [String]
    private let writer: RowWriter
    private let name: String

    /// - Parameters:
    ///   - place: The position of the entity's plan, for the name of the temporary table.
    ///   - new: The tables of the new version, which need not exist yet.
    init?(
        _ plan: ResolvedMapping.EntityPlan,
        at place: Int,
        by mapping: ResolvedMapping,
        to new: StoreTables,
        _ connection: Connection
    ) throws {
        guard let rules = plan.rules, let writer = RowWriter(plan.destination, new) else { return nil }
        self.plan = plan
        self.rules = rules
        self.mapping = mapping
        self.new = new
        self.connection = connection
        self.writer = writer
        name = "OUTCROPRULED_\(place)"
        columns = try Self.assignments(RuledObject(empty: rules), plan, writer).map(\.column)
    }

    /// The table of the new version that the rows are in.
    var table: String { writer.table.name }

    private static func assignments(
        _ ruled: RuledObject,
        _ plan: ResolvedMapping.EntityPlan,
        _ writer: RowWriter
    ) throws -> [RowWriter.Assignment] {
        var row = Row(
            attributes: plan.destination.attributes.map { _ in .null },
            toOnes: plan.destination.toOnes.map { _ in nil }
        )
        for (attribute, value) in ruled.attributes { row.attributes[attribute.slot] = value }
        for (relationship, destination) in ruled.toOnes { row.toOnes[relationship.slot] = destination }
        return try writer.assignments(
            of: row,
            attributes: ruled.attributes.map(\.attribute.slot),
            toOnes: ruled.toOnes.map(\.relationship.slot)
        )
    }

    /// Evaluates the rules for all rows, and returns how many their filter excludes.
    func evaluate(from reader: StoreReader) throws -> Int {
        let identifiers = columns.indices.map { "c\($0)" }
        let declared = identifiers.map { ", \(identifier: $0)" as SQL }.joined()
        try connection.execute("CREATE TEMP TABLE \(identifier: name) (pk INTEGER PRIMARY KEY\(declared))")
        let evaluator = Evaluator(now: .now)
        var excluded = 0
        try reader.forEachBatch(of: plan.source) { batch in
            let source = RowSource(reader)
            for snapshot in batch { source.put(snapshot) }
            for snapshot in batch {
                let object = StoredRow(snapshot: snapshot, source: source)
                guard let key = reader.tables.key(of: snapshot.objectID) else { continue }
                let ruled = try mapping.ruled(object, by: plan, rules, with: evaluator)
                try source.check()
                guard let ruled else {
                    excluded += 1
                    continue
                }
                let values = try Self.assignments(ruled, plan, writer).map { ", \(value: $0.value)" as SQL }.joined()
                try connection.execute("INSERT INTO temp.\(identifier: name) VALUES (\(value: .integer(key))\(values))")
            }
        }
        return excluded
    }

    /// Writes the values into the rows of the new table, and deletes those that are excluded.
    func apply() throws {
        let table: SQL = "\(identifier: writer.table.name)"
        let number: SQL = "\(literal: .integer(new.schema.numbers[plan.destination]))"
        let temporary: SQL = "temp.\(identifier: name)"
        if rules.filter != nil {
            try connection.execute(
                "DELETE FROM \(table) WHERE Z_ENT = \(number) AND Z_PK NOT IN (SELECT pk FROM \(temporary))"
            )
        }
        if !columns.isEmpty {
            let targets = columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
            let values = columns.indices.map { "r.\(identifier: "c\($0)")" as SQL }.joined(separator: ", ")
            try connection.execute(
                """
                UPDATE \(table) AS t SET (\(targets)) = (SELECT \(values) FROM \(temporary) r WHERE r.pk = t.Z_PK) \
                WHERE Z_ENT = \(number)
                """
            )
        }
        try forgetOrders()
        try connection.execute("DROP TABLE \(temporary)")
    }

    /// A reference to another object has no place among its members yet.
    private func forgetOrders() throws {
        for (relationship, _) in rules.toOnes {
            guard let order = writer.table[plan.destination].toOnes[relationship.slot]?.order else { continue }
            try connection.execute(
                """
                UPDATE \(identifier: table) SET \(identifier: writer.table.name(ofColumn: order)) = NULL \
                WHERE Z_ENT = \(literal: .integer(new.schema.numbers[plan.destination]))
                """
            )
        }
    }
}

extension RuledObject {
    /// Nothing in all properties that rules compute.
    fileprivate init(empty rules: ResolvedMapping.EntityRules) {
        self.init()
        attributes = rules.attributes.map { ($0.attribute, .null) }
        toOnes = rules.toOnes.map { ($0.relationship, nil) }
    }
}

extension StoreMigration {
    /// Writes what rules say, and removes references to the objects that they exclude.
    func apply(_ ruled: [RuledRows]) throws {
        for rows in ruled { try rows.apply() }
        for rows in ruled {
            for (relationship, _) in rows.plan.rules?.toOnes ?? [] { try returnReferences(relationship, from: rows) }
        }
        let reduced = ruled.filter { $0.plan.rules?.filter != nil }.map(\.plan.destination)
        guard !reduced.isEmpty else { return }
        for toOne in toOnes {
            let entity = new.model.destination(of: toOne.relationship)
            guard reduced.contains(where: { $0.isKind(of: entity) }), let destination = new.table(of: entity) else {
                continue
            }
            try clear(toOne, unlessIn: destination)
        }
        for relationship in new.pairRelationships {
            guard let view = new.pairs(of: relationship), view.isOwner,
                let owner = new.model.entities.first(where: { $0.ownRelationships.contains(relationship) })
            else { continue }
            let copy = CopiedPairs(relationship, of: owner, view, from: old, to: new, by: mapping)
            try copy.removeStrays(from: view.table.name, connection)
        }
    }

    /// Makes the other side of a one-to-one relationship agree with what a rule says.
    private func returnReferences(_ relationship: RelationshipDescription, from rows: RuledRows) throws {
        guard let inverse = relationship.inverse, !inverse.isToMany, let own = new.table(of: rows.plan.destination),
            let columns = own[rows.plan.destination].toOnes[relationship.slot]
        else { return }
        let entity = new.model.destination(of: relationship)
        guard let table = new.table(of: entity), let back = table[entity].toOnes[inverse.slot] else { return }
        let key: SQL = "\(identifier: own.name(ofColumn: columns.key))"
        var targets: [SQL] = ["\(identifier: table.name(ofColumn: back.key))"]
        var values: [SQL] = ["o.pk"]
        if let column = back.entity {
            targets.append("\(identifier: table.name(ofColumn: column))")
            values.append("o.entity")
        }
        let nothing = targets.map { "\($0) = NULL" as SQL }.joined(separator: ", ")
        let assignments = zip(targets, values).map { "\($0) = \($1)" as SQL }.joined(separator: ", ")
        try connection.execute("UPDATE \(identifier: table.name) SET \(nothing)")
        try connection.execute(
            """
            UPDATE \(identifier: table.name) AS t SET \(assignments) FROM (\
            SELECT \(key) AS owner, min(Z_PK) AS pk, Z_ENT AS entity FROM \(identifier: own.name) \
            WHERE \(key) NOT NULL GROUP BY \(key)) o WHERE t.Z_PK = o.owner
            """
        )
    }
}
