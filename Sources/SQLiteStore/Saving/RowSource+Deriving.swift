// SPDX-License-Identifier: Apache-2.0

// One row's derived values, computed from the rows around it.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension RowSource {
    /// Writes a row's derived values where they are others than it has: the row with them, or nil where they are the same.
    func rederive(_ snapshot: Snapshot, isSaved: Bool, now: Date) throws -> Snapshot? {
        let (connection, tables) = (reader.connection, reader.tables)
        let objectID = snapshot.objectID
        let row = tables.derivations.derive(
            snapshot.row,
            of: objectID.entity,
            from: StoredRow(snapshot: snapshot, source: self),
            isSaved: isSaved,
            with: Evaluator(now: now)
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
}
