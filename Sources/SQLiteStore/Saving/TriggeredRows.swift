// SPDX-License-Identifier: Apache-2.0

// The rows that an app's own triggers have changed behind a statement.

import ObjectGraph
import SQLiteDriver
import Synchronization

/// What the triggers of a store that an app has made tell of: they keep derived values, and name each row that gets another
/// one. Only the one connection that writes has them run.
final class TriggeredRows: Sendable {
    private struct Row: Hashable {
        let entity: Int64
        let key: Int64
    }

    private let rows = Mutex<Set<Row>>([])

    /// Defines the functions by which triggers tell.
    func define(on connection: Connection) throws {
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            try connection.define(function: name, arguments: nil, deterministic: false, usableInSchema: true) {
                [self] arguments in
                // (table, entity, key, property, value)
                if arguments.count >= 3 { note(entity: arguments.int64(1), key: arguments.int64(2)) }
                return .null
            }
        }
    }

    private func note(entity: Int64, key: Int64) {
        rows.withLock { _ = $0.insert(Row(entity: entity, key: key)) }
    }

    /// The objects that were told of since this was asked last.
    func take(_ tables: StoreTables) -> Set<ManagedObjectID> {
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
