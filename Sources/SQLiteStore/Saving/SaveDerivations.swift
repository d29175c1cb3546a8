// SPDX-License-Identifier: Apache-2.0

// Derived values, written as they should be with each save.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Computes what is derived from the rows that a save changes, in those rows and in others.
struct SaveDerivations {
    private let connection: Connection
    private let tables: StoreTables
    private let now: Date
    /// The objects whose values were read from what the save has changed since.
    private let before: Set<ManagedObjectID>

    /// Made before anything is written.
    init(_ request: StoreSaveRequest, _ connection: Connection, _ tables: StoreTables, now: Date) throws {
        (self.connection, self.tables, self.now) = (connection, tables, now)
        let source = RowSource(StoreReader(connection: connection, tables: tables))
        before = tables.derivations.dependents(on: request.touched, in: source)
        try source.check()
    }

    /// Computes and writes derived values after a save; the rows that the save wrote as they stand then, and others that are
    /// new by it.
    func derive(_ written: [Snapshot], touched: [ManagedObjectID]) throws -> [Snapshot] {
        let source = RowSource(StoreReader(connection: connection, tables: tables))
        let saved = Set(written.map(\.objectID))
        for snapshot in written { source.put(snapshot) }
        var pending = saved.union(before).union(touched)
            .union(tables.derivations.dependents(on: touched, in: source))
        try source.check()
        var recomputed: Set<ManagedObjectID> = []
        // Values may be derived from derived ones, even in circles, which nothing would end.
        for _ in 0..<Self.roundLimit where !pending.isEmpty {
            var changed: [ManagedObjectID] = []
            for objectID in pending {
                guard let snapshot = try derived(objectID, isSaved: saved.contains(objectID), source) else { continue }
                changed.append(snapshot.objectID)
                recomputed.insert(snapshot.objectID)
            }
            source.forgetMembers()
            pending = tables.derivations.dependents(on: changed, in: source)
            try source.check()
        }
        return try (written.map(\.objectID) + recomputed.subtracting(saved)).compactMap { try source.snapshot($0) }
    }

    private static let roundLimit = 20

    /// The row with its derived values, written, if it is another then.
    private func derived(_ objectID: ManagedObjectID, isSaved: Bool, _ source: RowSource) throws -> Snapshot? {
        guard let snapshot = try source.snapshot(objectID) else { return nil }
        let entity = snapshot.objectID.entity
        let row = tables.derivations.derive(
            snapshot.row,
            of: entity,
            from: StoredRow(snapshot: snapshot, source: source),
            isSaved: isSaved,
            with: Evaluator(now: now)
        )
        try source.check()
        guard row != snapshot.row, let writer = RowWriter(entity, tables), let key = tables.key(of: objectID) else {
            return nil
        }
        let slots = row.attributes.indices.filter { row.attributes[$0] != snapshot.row.attributes[$0] }
        let changes = try writer.assignments(of: row, attributes: slots, toOnes: []).map { assignment -> SQL in
            "\(identifier: assignment.column) = \(value: assignment.value)"
        }
        try connection.execute(
            """
            UPDATE \(identifier: writer.table.name) SET \(changes.joined(separator: ", ")) \
            WHERE Z_PK = \(value: .integer(key))
            """
        )
        let new = Snapshot(objectID: snapshot.objectID, version: snapshot.version, row: row)
        source.put(new)
        return new
    }
}
