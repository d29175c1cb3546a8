// SPDX-License-Identifier: Apache-2.0

// Computes and writes derived values of rows.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension RowSource: DerivationTarget {
    func recompute(
        _ objects: Set<ManagedObjectID>,
        saved: Set<ManagedObjectID>,
        by _: Derivations,
        with evaluator: Evaluator
    ) throws -> [ManagedObjectID: Snapshot?] {
        try check()
        try read(objects)
        var former: [ManagedObjectID: Snapshot?] = [:]
        for objectID in objects {
            guard let snapshot = try snapshot(of: objectID) else { continue }
            let row = try derived(snapshot, isSaved: saved.contains(objectID), with: evaluator)
            guard let new = try write(row, over: snapshot) else { continue }
            put(new)
            former[objectID] = snapshot
        }
        let triggered = reader.tables.triggered.drain(reader.tables)
        forget(triggered)
        for objectID in triggered { former.updateValue(nil, forKey: objectID) }
        return former
    }

    /// A row with its derived values computed.
    func derived(_ snapshot: Snapshot, isSaved: Bool, with evaluator: Evaluator) throws -> Row {
        let row = reader.tables.derivations.derive(
            snapshot.row,
            of: snapshot.objectID.entity,
            from: StoredRow(snapshot: snapshot, source: self),
            isSaved: isSaved,
            with: evaluator,
            knowing: try aggregates(of: snapshot.objectID)
        )
        try check()
        return row
    }

    /// Writes the derived values that differ from those of the present row. Returns the new row, or nil if none do.
    func write(_ row: Row, over snapshot: Snapshot) throws -> Snapshot? {
        let objectID = snapshot.objectID
        let slots = row.attributes.indices.filter { row.attributes[$0] != snapshot.row.attributes[$0] }
        guard !slots.isEmpty, let writer = RowWriter(objectID.entity, reader.tables),
            let key = reader.tables.key(of: objectID)
        else { return nil }
        let changes = try writer.assignments(of: row, attributes: slots, toOnes: []).map { assignment -> SQL in
            "\(identifier: assignment.column) = \(value: assignment.value)"
        }
        try reader.connection.execute(
            """
            UPDATE \(identifier: writer.table.name) SET \(changes.joined(separator: ", ")) \
            WHERE Z_PK = \(value: .integer(key))
            """
        )
        return Snapshot(objectID: objectID, version: snapshot.version, row: row)
    }

    /// Counts and sums over a row's members, computed in SQL, so that the members' rows aren't read.
    private func aggregates(of objectID: ManagedObjectID) throws -> [Int: Value] {
        let tables = reader.tables
        let entity = objectID.entity
        guard let table = tables.schema.table(of: entity), let key = tables.key(of: objectID) else { return [:] }
        var aggregates: [(slot: Int, encoding: ValueEncoding, sql: SQL)] = []
        var fetched: [Int: Value] = [:]
        for derivation in tables.derivations.attributes(of: entity) where derivation.path.contains(where: \.isToMany) {
            let slot = derivation.attribute.slot
            if case .value(_, let encoding) = table[entity].attributes[slot],
                let sql = DerivationSQL(tables.schema).value(of: derivation.attribute, entity, encoding)
            {
                aggregates.append((slot, encoding, sql))
            } else {
                fetched[slot] = try value(of: derivation.expression, objectID)
            }
        }
        guard !aggregates.isEmpty else { return fetched }
        let query: SQL = """
            SELECT \(aggregates.map(\.sql).joined(separator: ", ")) FROM \(identifier: table.name) AS o \
            WHERE o.Z_PK = \(value: .integer(key))
            """
        let values = try reader.connection.first(query) { row in
            aggregates.indices.map { (aggregates[$0].slot, aggregates[$0].encoding.value(row.value(Int32($0)))) }
        }
        return fetched.merging(values ?? []) { $1 }
    }

    /// The value of an expression for an object, or nil if SQL can't express it.
    private func value(of expression: ObjectExpression, _ objectID: ManagedObjectID) throws -> Value? {
        let request = StoreFetchRequest(
            entity: objectID.entity,
            predicate: .comparing(.evaluatedObject, .equal, .constant(.reference(objectID.objectReference))),
            kind: .table(TableRequest(columns: [ExpressionDescription("value", expression)]))
        )
        guard var planner = FetchPlanner(request, reader.tables, now: .now), planner.plan().remainder == nil,
            case .table(let table) = try StoreFetch(request, reader).result()
        else { return nil }
        return table.rows.first?.first
    }
}
