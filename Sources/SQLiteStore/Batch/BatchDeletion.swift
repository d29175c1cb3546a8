// SPDX-License-Identifier: Apache-2.0

// A batch deletion on sets of rows, including delete rules.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteDriver

/// Deletes rows and all rows that cascades reach.
///
///     find ──▶ cascade ──▶ denied? ──▶ survivors? ──▶ delete pairs, nullify, delete ──▶ derive
///       │         │           │            │ some with a required reference or a minimum
///       ▼         ▼           ▼            ▼
///        too many           error      row by row
///
/// Rows that affect no others are deleted at once (`deletePlainRows`).
struct BatchDeletion {
    private let batch: StoreBatchRequest
    private let connection: Connection
    private let tables: StoreTables
    private let schema: StoreSchema

    private let writer: BatchWriter

    init(_ writer: BatchWriter) {
        batch = writer.batch
        connection = writer.connection
        tables = writer.tables
        schema = tables.schema
        self.writer = writer
    }

    /// Nil if the deletion isn't possible on sets; then nothing is written.
    func run() throws -> StoreBatchResult? {
        if let result = try deletePlainRows() { return result }
        try KeyTable.found.prepare(connection)
        let entities = reach(of: try find())
        if let maximum = batch.maximum, try KeyTable.found.count(connection) > maximum {
            throw GraphError.limitExceeded(maximum)
        }
        let relationships = schema.relationships(of: entities)
        try cascade(along: relationships.filter { $0.relationship.deleteRule == .cascade })
        let count = try KeyTable.found.count(connection)
        if let maximum = batch.maximum, count > maximum { throw GraphError.limitExceeded(maximum) }
        guard count > 0 else { return StoreBatchResult(count: 0, objectIDs: [], changes: SavedChanges()) }
        try BatchDenial(connection, tables).check(relationships)
        for rows in relationships where rows.limitsDeletions {
            if try leavesSurvivors(rows) { return nil }
        }
        let deleted = try KeyTable.found.objectIDs(tables, connection)
        var changed = ChangedProperties()
        if count <= ChangedProperties.limit {
            for rows in relationships { try writer.recordOwners(ofRowsIn: .found, rows, in: &changed) }
        }
        try writer.history?.record(.delete, deleted)
        let updated = try delete(entities, along: relationships, &changed)
        try KeyTable.found.clear(connection)
        return result(count, deleted, updated, changed)
    }

    private func result(
        _ count: Int,
        _ deleted: [ObjectIDRange],
        _ updated: [ManagedObjectID],
        _ changed: ChangedProperties
    ) -> StoreBatchResult {
        var changes = SavedChanges(deleted.map { .rows($0, .deleted) })
        changes.add(updated, as: .updated)
        changes.changedProperties = changed
        return StoreBatchResult(
            count: count,
            objectIDs: batch.returnsObjectIDs ? Array(deleted.joined()) : [],
            changes: changes
        )
    }
}

// MARK: Plain rows

extension BatchDeletion {
    /// Deletes rows described by a condition if that affects no other rows; nil in all other cases.
    private func deletePlainRows() throws -> StoreBatchResult? {
        guard case .delete(let request) = batch.operation, request.limit == nil, request.offset == 0,
            let table = schema.table(of: request.entity), isPlain(request.entity),
            let translator = Translator(request.entity, in: schema, store: tables.identifier, now: .now),
            let rows = MatchingRows(request, translator, schema), rows.translator.base.tableCount == 1
        else { return nil }
        let found = try rows.keys(of: batch, in: table, schema, connection)
        var changed = ChangedProperties()
        if !found.isEmpty {
            for relationship in schema.relationships(of: tables.model.kinds(of: request.entity)) {
                try writer.owners(ofRows: found, in: table, relationship).record(in: &changed)
            }
            try writer.history?.record(.delete, found.objectIDs(table.root, tables))
            try connection.execute("DELETE\(rows.clause)")
        }
        return result(found.count, found.objectIDs(table.root, tables), [], changed)
    }

    /// Whether deleting an entity's objects neither deletes nor changes other rows.
    private func isPlain(_ entity: EntityDescription) -> Bool {
        let kinds = Array(tables.model.kinds(of: entity))
        return schema.endingPairs(of: kinds).isEmpty
            && BatchDerivations(connection, tables, for: kinds) == nil
            && schema.relationships(of: kinds).allSatisfy { rows in
                !rows.limitsDeletions && [.nullify, .noAction].contains(rows.relationship.deleteRule)
                    && (rows.relationship.deleteRule != .nullify || rows.inverseColumns(schema) == nil)
            }
    }
}

// MARK: Finding

extension BatchDeletion {
    /// Finds the rows of the batch, and returns their possible entities.
    private func find() throws -> [EntityDescription] {
        switch batch.operation {
        case .delete(let request):
            try writer.collect(request, in: .found)
            return Array(tables.model.kinds(of: request.entity))
        case .deleteObjects(let objects):
            try KeyTable.found.insert(objects, tables, connection)
            return Set(objects.map(\.entity)).flatMap(tables.model.kinds)
        case .insert, .update: return []
        }
    }

    /// The entities of objects that may be deleted with those of some entities, in the model's order.
    private func reach(of entities: [EntityDescription]) -> [EntityDescription] {
        var reached = Set(entities)
        var pending = entities
        while let entity = pending.popLast() {
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                let destination = tables.model.destination(of: relationship)
                pending += tables.model.kinds(of: destination).filter { reached.insert($0).inserted }
            }
        }
        return tables.model.entities.filter(reached.contains)
    }

    /// Adds the rows that cascades reach: table by table, or row by row if the relationships form cycles. Each row is
    /// visited once.
    private func cascade(along relationships: [RelationshipRows]) throws {
        // One more than the limit shows that there are too many.
        let limit = batch.maximum.map { " LIMIT \(value: .integer(min(Int64($0), .max - 1) + 1))" as SQL }
        if let ordered = Self.ordered(relationships) {
            for rows in ordered {
                let found: SQL = "m.Z_PK, m.Z_ENT \(rows.destinations(from: KeyTable.found.name))"
                // The limit must not count a row of several owners several times.
                let keys = limit.map { "* FROM (SELECT DISTINCT \(found)\($0))" as SQL } ?? found
                try KeyTable.found.insert(root: rows.destinationRoot, keys, connection)
            }
            return
        }
        let steps = relationships.map { rows -> SQL in
            """
             UNION SELECT \(literal: .integer(rows.destinationRoot)), m.Z_PK, m.Z_ENT \(rows.destinations(from: "reached"))
            """
        }
        let found = KeyTable.found.name
        try connection.execute(
            """
            INSERT OR IGNORE INTO \(found) WITH RECURSIVE reached (ZROOT, Z_PK, Z_ENT) AS \
            (SELECT ZROOT, Z_PK, Z_ENT FROM \(found)\(steps.joined())) \
            SELECT ZROOT, Z_PK, Z_ENT FROM reached\(limit ?? "")
            """
        )
    }

    /// The relationships in topological order of their tables, or nil if they form cycles.
    private static func ordered(_ relationships: [RelationshipRows]) -> [RelationshipRows]? {
        var ordered: [RelationshipRows] = []
        var rest = relationships
        while !rest.isEmpty {
            let reached = Set(rest.map(\.destinationRoot))
            let ready = rest.filter { !reached.contains($0.ownerRoot) }
            guard !ready.isEmpty else { return nil }
            ordered += ready
            rest.removeAll { !reached.contains($0.ownerRoot) }
        }
        return ordered
    }

    /// Whether deleted rows refer to rows that aren't deleted.
    private func leavesSurvivors(_ rows: RelationshipRows) throws -> Bool {
        try connection.first("SELECT 1 \(rows.survivors(of: .found)) LIMIT 1") { _ in true } ?? false
    }
}

extension RelationshipRows {
    /// Whether a deletion may leave a destination invalid: its inverse needs a value or a minimum number of objects.
    fileprivate var limitsDeletions: Bool {
        guard let inverse = relationship.inverse else { return false }
        if inverse.isToMany { return destination.toManys[inverse.slot].limitsRemovals }
        return relationship.deleteRule == .nullify && destination.toOnes[inverse.slot].limitsRemovals
    }
}

// MARK: Deleting

extension BatchDeletion {
    /// Writes the deletion, and returns the other rows that were changed.
    private func delete(
        _ entities: [EntityDescription],
        along relationships: [RelationshipRows],
        _ changed: inout ChangedProperties
    ) throws -> [ManagedObjectID] {
        let roots = Set(entities.map { schema.rootNumber(of: $0) })
        let nullified = relationships.filter { rows in
            rows.relationship.deleteRule == .nullify && rows.inverseColumns(schema) != nil
        }
        let derivations = BatchDerivations(
            connection,
            tables,
            for: entities + nullified.flatMap { tables.model.kinds(of: $0.destination) }
        )
        try derivations?.begin()
        for rows in nullified where derivations != nil { try collectNullified(rows) }
        try derivations?.collectDependents(on: .found)
        try derivations?.collectDependents(on: .saved)
        for statement in schema.endingPairs(of: entities) { try connection.execute(statement) }
        var updated: [ManagedObjectID] = []
        for rows in nullified { updated += try nullify(rows, &changed) }
        for table in schema.tables where roots.contains(schema.rootNumber(of: table.root)) {
            let keys = KeyTable.found.keys(root: schema.rootNumber(of: table.root))
            let columns = table.layouts.filter { entities.contains($0.entity) }
                .flatMap { $0.attributes.flatMap(\.externalColumns) }
            writer.placement?.release(try writer.files(in: table, columns: columns, of: keys))
            try connection.execute("DELETE FROM \(identifier: table.name) WHERE Z_PK IN \(keys)")
        }
        try derivations?.collectDependents(on: .saved)
        let derived = try derivations?.derive(recordingIn: &changed) ?? []
        try writer.history?.recordDerived(derived)
        updated += derived
        return Set(updated).count == updated.count ? updated : Array(Set(updated))
    }

    /// The condition for surviving rows that refer to deleted ones, as `m`.
    private func losingCondition(_ rows: RelationshipRows, key: SQL) -> SQL {
        """
        WHERE m.\(key) IN \(KeyTable.found.keys(root: rows.ownerRoot, of: rows.ownerKinds)) \
        AND NOT \(KeyTable.found.contains("m", root: rows.destinationRoot))
        """
    }

    private func collectNullified(_ rows: RelationshipRows) throws {
        guard let (table, columns) = rows.inverseColumns(schema) else { return }
        let losing = losingCondition(rows, key: "\(identifier: table.name(ofColumn: columns.key))")
        let found: SQL = "m.Z_PK, m.Z_ENT FROM \(identifier: table.name) AS m \(losing)"
        try KeyTable.saved.insert(root: rows.destinationRoot, found, connection)
    }

    private func nullify(_ rows: RelationshipRows, _ changed: inout ChangedProperties) throws -> [ManagedObjectID] {
        guard let (table, columns) = rows.inverseColumns(schema), let reader = tables.rowReader(of: rows.destination)
        else { return [] }
        let names = [columns.key, columns.entity, columns.order].compactMap(\.self).map(table.name(ofColumn:))
        let lost = try connection.rows(
            """
            UPDATE \(identifier: table.name) AS m SET \
            \(names.map { "\(identifier: $0) = NULL, " as SQL }.joined())Z_OPT = Z_OPT + 1 \
            \(losingCondition(rows, key: "\(identifier: names[0])")) RETURNING Z_PK, Z_ENT
            """
        ) { reader.objectID($0) }
        let name = rows.relationship.inverse.map { CollectionOfOne($0.name) }
        if let name { for objectID in lost { changed.add(name, of: objectID) } }
        try writer.history?.recordUpdates(of: lost, setting: name.map(Array.init))
        return lost
    }
}

extension StoreSchema {
    /// The statements that delete all pairs of deleted rows, one for each table of pairs.
    fileprivate func endingPairs(of entities: [EntityDescription]) -> [SQL] {
        var conditions: [PairTable: OrderedMembers<SQL>] = [:]
        for entity in entities {
            // A pair that is a column of the member's row is deleted with that row.
            for end in ends(of: entity) where end.isOwner || !end.table.isColumn {
                let keys = KeyTable.found.keys(root: rootNumber(of: entity))
                conditions[end.table, default: OrderedMembers()].append("\(identifier: end.own.key) IN \(keys)")
            }
        }
        return OrderedMembers(pairRelationships.compactMap { pairs[$0]?.table }).compactMap { table -> SQL? in
            guard let condition = conditions[table]?.members.joined(separator: " OR ") else { return nil }
            let name: SQL = "\(identifier: table.name)"
            guard table.isColumn else { return "DELETE FROM \(name) WHERE \(condition)" }
            return "UPDATE \(name) SET \(identifier: table.owner.key) = NULL WHERE \(condition)"
        }
    }
}
