// SPDX-License-Identifier: Apache-2.0

// Finds the conflicts of a save that couldn't be written.

import ObjectGraph
import SQLiteDriver

/// Compares the versions, unique values and destinations of a save with the store.
struct SaveConflicts {
    private let connection: Connection
    private let tables: StoreTables

    init(_ connection: Connection, _ tables: StoreTables) {
        self.connection = connection
        self.tables = tables
    }

    /// The conflicts, or nil if there are none, such as when updated rows swap unique values.
    func conflicts(of request: StoreSaveRequest) throws -> StoreConflicts? {
        let changed =
            request.updates.map(\.objectID) + (request.deletions + request.locks).map(\.objectID)
            + request.references.map(\.destination)
        let reader = StoreReader(connection: connection, tables: tables)
        var stored: [ManagedObjectID: Snapshot] = [:]
        for case let snapshot? in try reader.snapshots(of: changed) { stored[snapshot.objectID] = snapshot }
        var holders: [UniqueKey: ManagedObjectID] = [:]
        let rows = request.insertions.map { ($0.objectID, $0.row) } + request.updates.map { ($0.objectID, $0.row) }
        for (objectID, row) in rows {
            for constraint in objectID.entity.uniquenessConstraints {
                guard let key = UniqueKey(constraint, of: row), holders[key] == nil,
                    let holder = try holder(of: constraint, row, objectID.entity, reader)
                else { continue }
                holders[key] = holder.objectID
                stored[holder.objectID] = holder
            }
        }
        return try request.conflicts(
            version: { stored[$0]?.version },
            holder: { holders[$0] },
            members: { relationship, owners in try reader.members(of: relationship, owners: owners) },
            stored: { objectID in try stored[objectID] ?? reader.snapshots(of: [objectID]).first ?? nil }
        )
    }

    /// The row that has the same values for a constraint.
    private func holder(
        of constraint: [PropertyDescription],
        _ row: Row,
        _ entity: EntityDescription,
        _ reader: StoreReader
    ) throws -> Snapshot? {
        guard let writer = RowWriter(entity, tables), let rows = tables.rowReader(of: entity) else { return nil }
        let columns = writer.columns(of: constraint)
        let wanted = try writer.assignments(of: row).filter { columns.contains($0.column) }
        let conditions = wanted.map { "\(identifier: $0.column) = \(value: $0.value)" as SQL }
        return try connection.first(
            """
            SELECT \(rows.columns(of: "t0")) FROM \(identifier: writer.table.name) AS t0 \
            WHERE \(conditions.joined(separator: " AND "))
            """
        ) { rows.snapshot($0) }
    }
}
