// SPDX-License-Identifier: Apache-2.0

// A batch update in sets: one statement for all rows.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// Gives rows new values. Those that have them already stay as they are.
struct BatchUpdate {
    private let update: StoreBatchUpdate
    private let batch: StoreBatchRequest
    private let connection: Connection
    private let tables: StoreTables
    private let entity: EntityDescription

    init(_ update: StoreBatchUpdate, _ batch: StoreBatchRequest, _ connection: Connection, _ tables: StoreTables) {
        (self.update, self.batch, self.connection, self.tables) = (update, batch, connection, tables)
        entity = update.rows.entity
    }

    /// Nil where it is not to be done by sets; then nothing is written.
    func result() throws -> StoreBatchResult? {
        guard let table = tables.schema.table(of: entity), let reader = tables.reader(of: entity) else { return nil }
        let rows = try FoundRows(update.rows, tables, connection)
        let count = try connection.first("SELECT COUNT(*) FROM \(rows.source)") { Int($0.int64(0)) } ?? 0
        if let maximum = batch.maximum, count > maximum { throw GraphError.limitExceeded(maximum) }
        guard let changes = try columns(count) else { return nil }
        let found =
            batch.returnsObjectIDs
            ? try connection.rows("SELECT t0.Z_PK, t0.Z_ENT FROM \(rows.source)") { reader.objectID($0) } : []
        var result = SavedChanges()
        let differing = changes.map { "t0.\(identifier: $0.column) IS NOT \($0.value)" as SQL }
        let condition: SQL = "\(rows.condition)(\(differing.joined(separator: " OR ")))"
        let derivations = BatchDerivations(connection, tables, for: Array(tables.model.kinds(of: entity)))
        try derivations?.begin()
        if let derivations {
            let root = tables.schema.rootNumber(of: entity)
            try KeyTable.saved.insert(root: root, "t0.Z_PK, t0.Z_ENT FROM \(rows.table) WHERE \(condition)", connection)
            try derivations.noteDependents(on: .saved)
        }
        do {
            result.updatedIDs = try connection.rows(
                """
                UPDATE \(identifier: table.name) AS t0 SET \
                \(changes.map { "\(identifier: $0.column) = \($0.value), " as SQL }.joined())Z_OPT = Z_OPT + 1 \
                WHERE \(condition) RETURNING Z_PK, Z_ENT
                """
            ) { reader.objectID($0) }
        } catch let error as SQLiteError where error.code == .constraintUnique {
            return nil
        }
        try derivations?.noteDependents(on: .saved)
        let derived = try derivations?.derive() ?? []
        if !derived.isEmpty { result.updatedIDs = Array(Set(result.updatedIDs + derived)) }
        return StoreBatchResult(count: count, objectIDs: found, changes: result)
    }
}

// MARK: Values

extension BatchUpdate {
    private typealias Change = (column: String, value: SQL)

    /// What the columns are set to; nil where rows have to be looked at one by one.
    private func columns(_ count: Int) throws -> [Change]? {
        var changes: [Change] = []
        for assignment in update.assignments {
            guard let more = try columns(assignment, count) else { return nil }
            changes += more
        }
        return changes.isEmpty ? nil : changes
    }

    private func columns(_ assignment: StoreBatchUpdate.Assignment, _ count: Int) throws -> [Change]? {
        guard let table = tables.schema.table(of: entity) else { return nil }
        let layout = table[entity]
        switch (assignment.property, assignment.value) {
        case (.attribute(let attribute), .constant(let value)):
            guard case .value(let place, let encoding) = layout.attributes[attribute.slot],
                AttributeRule(attribute).passes(value), let encoded = encoding.encoded(value)
            else { return nil }
            return [(table.name(ofColumn: place), "\(value: encoded)")]
        case (.relationship(let relationship), .constant(let value)):
            guard let columns = layout.toOnes[relationship.slot], columns.order == nil,
                isLoose(relationship), let destination = try destination(value, relationship)
            else { return nil }
            let key: SQL = destination.isNull ? "NULL" : "\(value: .integer(destination.key))"
            let number: SQL = destination.isNull ? "NULL" : "\(value: .integer(destination.number))"
            return [(table.name(ofColumn: columns.key), key)]
                + (columns.entity.map { [(table.name(ofColumn: $0), number)] } ?? [])
        default: return nil
        }
    }

    /// Whether a to-one relationship may be set without any other row having to change or to be counted.
    private func isLoose(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse else { return true }
        return inverse.isToMany && !tables.model.destination(of: relationship).toManys[inverse.slot].isCounted
    }

    private struct Destination {
        var key: Int64 = 0
        var number: Int64 = 0
        var isNull = true
    }

    /// Nil for one that is not there, or of a wrong kind.
    private func destination(_ value: Value, _ relationship: RelationshipDescription) throws -> Destination? {
        if value == .null { return relationship.relationship.isOptional ? Destination() : nil }
        guard case .reference(let reference) = value, let key = tables.key(of: reference, relationship),
            let found = try DestinationCheck(relationship, tables)?.number(of: key, connection)
        else { return nil }
        return Destination(key: key, number: found, isNull: false)
    }
}

/// The rows that an update is for: told by a condition, or by the keys of those that were found.
private struct FoundRows {
    let table: SQL
    /// The condition to stand before others.
    let condition: SQL
    /// Table and condition.
    let source: SQL

    init(_ request: StoreFetchRequest, _ tables: StoreTables, _ connection: Connection) throws {
        let rows = BatchRows(request, tables)
        let told: SQL?
        if let (table, condition) = rows.source {
            (self.table, told) = (table, condition)
        } else {
            try KeyTable.found.prepare(connection)
            try rows.collect(in: .found, connection)
            let name = tables.schema.table(of: request.entity)?.name ?? ""
            table = "\(identifier: name) AS t0"
            told = "t0.Z_PK IN \(KeyTable.found.keys(root: tables.schema.rootNumber(of: request.entity)))"
        }
        condition = told.map { "\($0) AND " } ?? ""
        source = told.map { [table] in "\(table) WHERE \($0)" } ?? table
    }
}
