// SPDX-License-Identifier: Apache-2.0

// Updates derived values in the same transaction as a save.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Computes derived values that depend on the rows of a save, in these rows and in others.
struct SaveDerivations {
    private let connection: Connection
    private let tables: StoreTables
    private let now: Date
    /// The objects with values derived from the former state of the saved rows.
    private let before: Set<ManagedObjectID>

    /// Must be called before anything is written.
    init(_ request: StoreSaveRequest, _ connection: Connection, _ tables: StoreTables, now: Date) throws {
        self.connection = connection
        self.tables = tables
        self.now = now
        let source = RowSource(StoreReader(connection: connection, tables: tables))
        try source.read(Set(request.touched))
        before = tables.derivations.dependents(on: request.touched, in: source)
        try source.check()
    }

    /// Computes and writes derived values after a save. Returns the saved rows in their final state, and other rows
    /// that changed.
    func derive(_ written: [Snapshot], touched: [ManagedObjectID]) throws -> [Snapshot] {
        let source = RowSource(StoreReader(connection: connection, tables: tables))
        let saved = Set(written.map(\.objectID))
        // An app's triggers have changed these rows after they were written.
        var recomputed = tables.triggered.drain(tables)
        var behind: Set<ManagedObjectID> = recomputed
        var former: [ManagedObjectID: Snapshot] = [:]
        for snapshot in written where !recomputed.contains(snapshot.objectID) { source.put(snapshot) }
        var pending = saved.union(before).union(touched).union(recomputed)
            .union(tables.derivations.dependents(on: touched + recomputed, in: source))
        try source.check()
        // Values may be derived from derived values, even in cycles.
        var rounds = 0
        while !pending.isEmpty {
            rounds += 1
            guard rounds <= Derivations.roundLimit else { throw GraphError.endlessDerivation(pending.map(\.entity)) }
            var changed: [ManagedObjectID] = []
            try source.read(pending)
            for objectID in pending {
                guard let snapshot = try source.snapshot(objectID),
                    let new = try source.rederive(snapshot, isSaved: saved.contains(objectID), now: now)
                else { continue }
                source.put(new)
                changed.append(objectID)
                if recomputed.insert(objectID).inserted { former[objectID] = snapshot }
            }
            let triggered = tables.triggered.drain(tables)
            source.forget(triggered)
            recomputed.formUnion(triggered)
            behind.formUnion(triggered)
            pending = tables.derivations.dependents(on: changed + triggered, in: source).union(triggered)
            try source.check()
        }
        // Rows changed by triggers haven't been read yet.
        return try written.compactMap { try source.snapshot($0.objectID) }
            + recomputed.subtracting(saved).compactMap { objectID in
                guard let former = former[objectID], !behind.contains(objectID) else {
                    return try source.snapshot(objectID)
                }
                return try source.snapshot(objectID)?.recomputed(since: former)
            }
    }
}
