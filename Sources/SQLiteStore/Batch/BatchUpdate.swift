// SPDX-License-Identifier: Apache-2.0

// A batch update in sets: one statement for all rows.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Gives rows new values. Those that have them already stay as they are.
struct BatchUpdate {
    private let update: StoreBatchUpdate
    private let writer: BatchWriter
    private let tables: StoreTables
    private let connection: Connection
    private let entity: EntityDescription

    init(_ update: StoreBatchUpdate, _ writer: BatchWriter) {
        (self.update, self.writer) = (update, writer)
        (tables, connection, entity) = (writer.tables, writer.connection, update.rows.entity)
    }

    /// Values that came out as no row may have them.
    private struct Unacceptable: Error {}

    /// Nil where it is not to be done by sets; then nothing is written.
    func result() throws -> StoreBatchResult? {
        guard let reader = tables.reader(of: entity), let rows = try foundRows() else { return nil }
        let count = try connection.first("SELECT COUNT(*)\(rows.clause)") { Int($0.int64(0)) } ?? 0
        if let maximum = writer.batch.maximum, count > maximum { throw GraphError.limitExceeded(maximum) }
        guard let assigned = try AssignedColumns(update, rows.translator, tables, connection) else { return nil }
        let found =
            writer.batch.returnsObjectIDs
            ? try connection.rows("SELECT t0.Z_PK, t0.Z_ENT\(rows.clause)") { reader.objectID($0) } : []
        do {
            let changes =
                assigned.mayFail
                ? try connection.savepoint { try write(assigned, rows, reader) } : try write(assigned, rows, reader)
            return StoreBatchResult(count: count, objectIDs: found, changes: changes)
        } catch let error as SQLiteError where error.code == .constraintUnique {
            return nil
        } catch is Unacceptable {
            return nil
        }
    }

    /// The rows that are asked for: told by a condition, or by the keys of those that were found.
    private func foundRows() throws -> UpdatedRows? {
        guard let translator = Translator(entity, in: tables.schema, store: tables.identifier, now: .now) else {
            return nil
        }
        if let told = UpdatedRows(update.rows, translator, tables.schema) { return told }
        try KeyTable.found.prepare(connection)
        try writer.collect(update.rows, in: .found)
        return UpdatedRows(
            condition: "t0.Z_PK IN \(KeyTable.found.keys(root: tables.schema.rootNumber(of: entity)))",
            translator
        )
    }

    private func write(
        _ assigned: AssignedColumns,
        _ rows: UpdatedRows,
        _ reader: RowReader
    ) throws -> SavedChanges {
        let update = assigned.update(rows, reader.table)
        let derivations = BatchDerivations(
            connection,
            tables,
            for: Array(tables.model.kinds(of: entity)),
            .properties(Set(self.update.assignments.map(\.property.name)))
        )
        try derivations?.begin()
        if derivations != nil {
            let root = tables.schema.rootNumber(of: entity)
            try KeyTable.saved.insert(root: root, "t0.Z_PK, t0.Z_ENT\(update.differing)", connection)
        }
        try derivations?.noteDependents(on: .saved)
        var changes = SavedChanges()
        try connection.run(update.statement) { row in
            if row.int64(2) != 0 { throw Unacceptable() }
            changes.updatedIDs.append(reader.objectID(row))
        }
        try derivations?.noteDependents(on: .saved)
        let derived = try derivations?.derive() ?? []
        if !derived.isEmpty { changes.updatedIDs = Array(Set(changes.updatedIDs + derived)) }
        return changes
    }
}

/// The rows that an update is for, as `t0`.
struct UpdatedRows {
    let translator: Translator
    let condition: Condition

    /// Nil where SQL can't say which they are.
    init?(_ request: StoreFetchRequest, _ translator: Translator, _ schema: StoreSchema) {
        var translator = translator
        let kinds = schema.kindCondition(
            request.entity,
            includingSubentities: request.includesSubentities,
            alias: "t0"
        ).map { Condition($0, isNullable: false) }
        do {
            let told = try request.predicate.map { (predicate) throws(Untranslatable) in
                try translator.condition(predicate.reorderedForEvaluation)
            }
            condition = .all([kinds, told].compactMap(\.self))
            try condition.sql.check()
        } catch {
            return nil
        }
        self.translator = translator
    }

    init(condition: SQL, _ translator: Translator) {
        (self.condition, self.translator) = (Condition(condition, isNullable: false), translator)
    }

    /// `FROM … WHERE …`
    var clause: SQL { translator.base.clause(where: condition) }
}
