// SPDX-License-Identifier: Apache-2.0

// Records the rows that an app's triggers have changed during a statement.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// Rows that triggers created by an app have changed. These triggers maintain derived values and report each row that
/// they change. Only the connection that writes runs them.
final class TriggeredRows: Sendable {
    private struct Row: Hashable {
        let entity: Int64
        let key: Int64
    }

    private let rows = Mutex<Set<Row>>([])

    /// Defines the functions that the triggers call.
    func define(on connection: Connection) throws {
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try connection.define(function: name, arguments: nil, deterministic: false, usableInSchema: true) {
                [self] arguments in
                // (table, entity, key, property, value)
                if arguments.count >= 3 { record(entity: arguments.int64(1), key: arguments.int64(2)) }
                return .null
            }
        }
    }

    private func record(entity: Int64, key: Int64) {
        rows.withLock { _ = $0.insert(Row(entity: entity, key: key)) }
    }

    /// Returns the reported objects and clears the list.
    func drain(_ tables: StoreTables) -> Set<ManagedObjectID> {
        let taken = rows.withLock { rows in
            defer { if !rows.isEmpty { rows = [] } }
            return rows
        }
        return Set(
            taken.compactMap { row in
                tables.schema.numbers.entity(row.entity).map {
                    ManagedObjectID(entity: $0, store: tables.identifier, reference: .integer(row.key))
                }
            }
        )
    }
}
