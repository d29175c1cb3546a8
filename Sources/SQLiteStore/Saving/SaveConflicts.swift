// SPDX-License-Identifier: Apache-2.0

// What speaks against a save that could not be written.

import ObjectGraph
import SQLiteDriver

/// Finds out which versions and unique values of a save are others in the store, and who came or went whom it leads to.
struct SaveConflicts {
    private let connection: Connection
    private let tables: StoreTables

    init(_ connection: Connection, _ tables: StoreTables) {
        (self.connection, self.tables) = (connection, tables)
    }

    /// Nil where nothing does, as where updated rows swap their unique values.
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
                guard let key = UniqueKey(constraint, row), holders[key] == nil,
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

    /// The row that has the values that another one has for a constraint.
    private func holder(
        of constraint: [PropertyDescription],
        _ row: Row,
        _ entity: EntityDescription,
        _ reader: StoreReader
    ) throws -> Snapshot? {
        guard let writer = RowWriter(entity, tables), let rows = tables.reader(of: entity) else { return nil }
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
