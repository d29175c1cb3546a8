// SPDX-License-Identifier: Apache-2.0

// Computes the derived values of one row.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension RowSource {
    /// Recomputes a row's derived values and writes those that differ. Returns the changed row, or nil if none differ.
    func rederive(_ snapshot: Snapshot, isSaved: Bool, now: Date) throws -> Snapshot? {
        let connection = reader.connection
        let tables = reader.tables
        let objectID = snapshot.objectID
        let row = tables.derivations.derive(
            snapshot.row,
            of: objectID.entity,
            from: StoredRow(snapshot: snapshot, source: self),
            isSaved: isSaved,
            with: Evaluator(now: now),
            knowing: try aggregates(of: objectID, now: now)
        )
        try check()
        let slots = row.attributes.indices.filter { row.attributes[$0] != snapshot.row.attributes[$0] }
        guard !slots.isEmpty, let writer = RowWriter(objectID.entity, tables), let key = tables.key(of: objectID) else {
            return nil
        }
        let changes = try writer.assignments(of: row, attributes: slots, toOnes: []).map { assignment -> SQL in
            "\(identifier: assignment.column) = \(value: assignment.value)"
        }
        try connection.execute(
            """
            UPDATE \(identifier: writer.table.name) SET \(changes.joined(separator: ", ")) \
            WHERE Z_PK = \(value: .integer(key))
            """
        )
        return Snapshot(objectID: objectID, version: snapshot.version, row: row)
    }

    /// Counts and sums over a row's members, computed in SQL, so that the members' rows aren't read.
    private func aggregates(of objectID: ManagedObjectID, now: Date) throws -> [Int: Value] {
        let tables = reader.tables
        let entity = objectID.entity
        guard let table = tables.schema.table(of: entity), let key = tables.key(of: objectID) else { return [:] }
        var aggregates: [(slot: Int, encoding: ValueEncoding, sql: SQL)] = []
        var fetched: [Int: Value] = [:]
        for attribute in entity.attributes where attribute.isDerived && attribute.isPersistent {
            guard let derivation = attribute.derivation, derivation.isOverMembers(of: entity, reader.schema.model)
            else {
                continue
            }
            if case .value(_, let encoding) = table[entity].attributes[attribute.slot],
                let sql = DerivationSQL(tables.schema).value(of: attribute, entity, encoding)
            {
                aggregates.append((attribute.slot, encoding, sql))
            } else {
                fetched[attribute.slot] = try value(of: derivation, objectID, now: now)
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
    private func value(of expression: ObjectExpression, _ objectID: ManagedObjectID, now: Date) throws -> Value? {
        let request = StoreFetchRequest(
            entity: objectID.entity,
            predicate: .comparing(.evaluatedObject, .equal, .constant(.reference(objectID.objectReference))),
            kind: .table(TableRequest(columns: [ExpressionDescription("value", expression)]))
        )
        guard var planner = FetchPlanner(request, reader.tables, now: now), planner.plan().remainder == nil,
            case .table(let table) = try StoreFetch(request, reader).result(now: now)
        else { return nil }
        return table.rows.first?.first
    }
}

extension ObjectExpression {
    /// Whether the expression is a key path through a to-many relationship.
    fileprivate func isOverMembers(of entity: EntityDescription, _ model: ManagedObjectModel) -> Bool {
        guard case .keyPath(of: .evaluatedObject, let keys) = self else { return false }
        var entity = entity
        for case .name(let name) in keys {
            guard let relationship = entity.relationship(named: name) else { return false }
            if relationship.isToMany { return true }
            entity = model.destination(of: relationship)
        }
        return false
    }
}
