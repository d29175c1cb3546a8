// SPDX-License-Identifier: Apache-2.0

// A batch update on sets of rows: one statement for all rows.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Sets new values, without touching rows that have them already.
///
/// Which rows change, and whether a new value is invalid, is determined before anything is written.
struct BatchUpdate {
    private let update: StoreBatchUpdate
    private let writer: BatchWriter
    private let tables: StoreTables
    private let connection: Connection
    private let entity: EntityDescription

    init(_ update: StoreBatchUpdate, _ writer: BatchWriter) {
        self.update = update
        self.writer = writer
        tables = writer.tables
        connection = writer.connection
        entity = update.rows.entity
    }

    /// Nil if the update isn't possible on sets; then nothing is written.
    func run() throws -> StoreBatchResult? {
        guard let table = tables.schema.table(of: entity), let rows = try foundRows(),
            let assigned = try AssignedColumns(update, rows.translator, tables, connection)
        else { return nil }
        let update = assigned.update(rows, table)
        guard let (found, changed) = try keys(of: rows, in: table, update) else { return nil }
        var changes = SavedChanges()
        var others: [ManagedObjectID] = []
        do {
            if !changed.isEmpty {
                let former = try owners(of: changed, table)
                // A derived value that is taken is found after the rows were updated.
                others = try connection.savepoint {
                    try write(update, assigned, table, &changes.changedProperties)
                }
                for (former, present) in zip(former, try owners(of: changed, table)) {
                    former.record(unlike: present, in: &changes.changedProperties)
                    present.record(unlike: former, in: &changes.changedProperties)
                }
            }
        } catch let error as SQLiteError where error.code == .constraintUnique {
            return nil
        }
        let ranges = changed.objectIDs(table.root, tables)
        try writer.history?.record(
            .update,
            ranges,
            setting: self.update.assignments.map(\.property.name),
            derives: derivations != nil
        )
        changes.list = ranges.map { .rows($0, .updated) }
        if !others.isEmpty {
            let index = ObjectIDRangeIndex(ranges)
            let unnamed = others.filter { !index.contains($0) }
            changes.add(unnamed, as: .updated)
            try writer.history?.recordDerived(unnamed)
        }
        return StoreBatchResult(
            count: found.count,
            objectIDs: writer.batch.returnsObjectIDs ? Array(found.objectIDs(table.root, tables).joined()) : [],
            changes: changes
        )
    }

    /// The keys of the matching rows and of those that change; nil if a new value is invalid.
    private func keys(
        of rows: MatchingRows,
        in table: EntityTable,
        _ update: AssignedColumns.Update
    ) throws -> (found: KeyRanges, changed: KeyRanges)? {
        if rows.areAll, let all = try KeyRanges.dense(table, tables.schema, connection),
            try connection.first(update.findingException, { _ in true }) == nil
        {
            try writer.batch.check(all.count)
            return (all, all)
        }
        var found = KeyRanges()
        var changed = KeyRanges()
        var isAcceptable = true
        try connection.run(update.finding) { row in
            found.add(row.int64(0), row.int64(1))
            try writer.batch.check(found.count)
            guard row.int64(2) != 0 else { return }
            changed.add(row.int64(0), row.int64(1))
            if row.int64(3) != 0 { isAcceptable = false }
        }
        return isAcceptable ? (found, changed) : nil
    }

    /// The matching rows, described by a condition or by their keys.
    private func foundRows() throws -> MatchingRows? {
        guard let translator = Translator(entity, in: tables.schema, store: tables.identifier, now: .now) else {
            return nil
        }
        if let translated = MatchingRows(update.rows, translator, tables.schema) { return translated }
        try KeyTable.found.prepare(connection)
        try writer.collect(update.rows, in: .found)
        return MatchingRows(
            condition: "t0.Z_PK IN \(KeyTable.found.keys(root: tables.schema.rootNumber(of: entity)))",
            translator
        )
    }

    /// The destinations of rows by the relationships that are set.
    private func owners(of keys: KeyRanges, _ table: EntityTable) throws -> [BatchOwners] {
        try update.assignments.compactMap { assignment in
            guard case .relationship(let relationship) = assignment.property,
                let rows = RelationshipRows(relationship, of: entity, tables.schema)
            else { return nil }
            return try writer.owners(ofRows: keys, in: table, rows)
        }
    }

    /// Nil if no derived values depend on what is set.
    private var derivations: BatchDerivations? {
        BatchDerivations(
            connection,
            tables,
            for: Array(tables.model.kinds(of: entity)),
            changed: Set(update.assignments.map(\.property.name))
        )
    }

    /// Writes the update, and returns the rows with changed derived values.
    private func write(
        _ update: AssignedColumns.Update,
        _ assigned: AssignedColumns,
        _ table: EntityTable,
        _ changed: inout ChangedProperties
    ) throws -> [ManagedObjectID] {
        let derivations = derivations
        try derivations?.begin()
        if derivations != nil {
            let root = tables.schema.rootNumber(of: entity)
            try KeyTable.saved.insert(root: root, "t0.Z_PK, t0.Z_ENT\(update.differing)", connection)
        }
        try derivations?.collectDependents(on: .saved)
        let keys: SQL = "(SELECT t0.Z_PK\(update.differing))"
        let released = try writer.files(in: table, columns: assigned.externalColumns, of: keys)
        try connection.execute(update.statement)
        try derivations?.collectDependents(on: .saved)
        let derived = try derivations?.derive(recordingIn: &changed) ?? []
        writer.placement?.release(released)
        return derived
    }
}

/// The rows that match a request, as `t0`.
struct MatchingRows {
    let translator: Translator
    let condition: Condition

    /// Nil if SQL can't express the request.
    init?(_ request: StoreFetchRequest, _ translator: Translator, _ schema: StoreSchema) {
        var translator = translator
        let kinds = schema.kindCondition(
            request.entity,
            includingSubentities: request.includesSubentities,
            alias: "t0"
        ).map { Condition($0, isNullable: false) }
        do {
            let translated = try request.predicate.map { (predicate) throws(Untranslatable) in
                try translator.condition(predicate.reorderedForEvaluation)
            }
            condition = .all([kinds, translated].compactMap(\.self))
            try condition.sql.check()
        } catch {
            return nil
        }
        self.translator = translator
    }

    init(condition: SQL, _ translator: Translator) {
        self.condition = Condition(condition, isNullable: false)
        self.translator = translator
    }

    /// `FROM … WHERE …`
    var clause: SQL { translator.base.clause(where: condition) }

    /// Whether all rows of one table match.
    var areAll: Bool { condition.constant == true && translator.base.tableCount == 1 }

    /// The rows of a batch, or an error if there are too many.
    func keys(
        of batch: StoreBatchRequest,
        in table: EntityTable,
        _ schema: StoreSchema,
        _ connection: Connection
    ) throws -> KeyRanges {
        if areAll, let all = try KeyRanges.dense(table, schema, connection) {
            try batch.check(all.count)
            return all
        }
        var found = KeyRanges()
        try connection.run("SELECT t0.Z_PK, t0.Z_ENT\(clause)") { row in
            found.add(row.int64(0), row.int64(1))
            try batch.check(found.count)
        }
        return found
    }
}

extension StoreBatchRequest {
    /// Throws if a number of rows is above the maximum.
    fileprivate func check(_ count: Int) throws(GraphError) {
        if let maximum, count > maximum { throw GraphError.limitExceeded(maximum) }
    }
}
