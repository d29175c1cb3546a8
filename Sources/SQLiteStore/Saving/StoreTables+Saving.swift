// SPDX-License-Identifier: Apache-2.0

// The steps of a save from its request to its result.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension StoreTables {
    /// Executes a save within a transaction, and writes its commit's note and its part of the history.
    func save(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        places: ExternalPlaces = [:],
        commit: Commit<[Snapshot]>,
        now: Date = .now
    ) throws -> StoreSaveResult {
        try connection.checkNote(of: commit)
        let writer = try HistoryWriter(self, connection, of: commit.origin, at: now)
        let result = try save(request, connection, places: places, history: writer, now: now)
        if case .saved(let written) = result {
            try writer?.finish()
            try modelRecord?.write(connection)
            try connection.write(commit, of: written, as: writer?.number)
        }
        return result
    }

    /// Executes a save within a transaction, and records its changes, or returns its conflicts.
    func save(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        places: ExternalPlaces = [:],
        order: MemberOrder? = nil,
        history: HistoryWriter?,
        now: Date = .now
    ) throws -> StoreSaveResult {
        let tombstones = try history?.tombstones(of: request) ?? [:]
        let result = try save(request, connection, places: places, order: order, now: now)
        if case .saved(let written) = result { try history?.record(request, written: written, tombstones) }
        return result
    }

    /// Executes a save within a transaction, or returns its conflicts.
    ///
    ///     write ──────────────────────────────▶ derive ──▶ saved
    ///       │ collision                            ▲
    ///       ▼               no conflicts           │
    ///     conflicts? ──▶ write with unique values cleared first
    ///       │ some
    ///       ▼
    ///     conflicts
    ///
    /// - Parameter places: The files of values that are too large for their rows.
    func save(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        places: ExternalPlaces = [:],
        order: MemberOrder? = nil,
        now: Date = .now
    ) throws -> StoreSaveResult {
        let request = derivations.deriveLocally(request, with: Evaluator(now: now))
        _ = triggered.drain(self)
        let dependents = derivations.isEmpty ? nil : try dependents(on: request.touched, connection)
        let written: [Snapshot]
        do {
            written = try write(request, connection, places, order)
        } catch is SaveWriter.Collision {
            if let conflicts = try SaveConflicts(connection, self).conflicts(of: request) {
                return .conflicts(conflicts)
            }
            do {
                written = try write(request, connection, places, order, yieldingUniqueValues: true)
            } catch is SaveWriter.Collision {
                throw try takenKey(of: request, connection) ?? StoreError.unexplainedCollision
            }
        }
        if let dependents {
            return .saved(try derive(written, request.touched, dependents, connection, Evaluator(now: now)))
        }
        let others = triggered.drain(self)
        guard !others.isEmpty else { return .saved(written) }
        let reader = StoreReader(connection: connection, tables: self)
        let reread = try reader.snapshots(of: Array(others)).compactMap(\.self)
        return .saved(written.filter { !others.contains($0.objectID) } + reread)
    }

    /// The objects with values derived from the present state of some others.
    private func dependents(
        on objects: [ManagedObjectID],
        _ connection: Connection
    ) throws -> Set<ManagedObjectID> {
        let source = RowSource(StoreReader(connection: connection, tables: self))
        try source.read(Set(objects))
        let dependents = derivations.dependents(on: objects, in: source)
        try source.check()
        return dependents
    }

    /// Computes and writes derived values after a save. Returns the saved rows in their final state, and other rows
    /// that changed.
    private func derive(
        _ written: [Snapshot],
        _ touched: [ManagedObjectID],
        _ formerDependents: Set<ManagedObjectID>,
        _ connection: Connection,
        _ evaluator: Evaluator
    ) throws -> [Snapshot] {
        var source = RowSource(StoreReader(connection: connection, tables: self))
        // An app's triggers have changed these rows after they were written.
        let overwritten = triggered.drain(self)
        for snapshot in written where !overwritten.contains(snapshot.objectID) { source.put(snapshot) }
        let rows = try derivations.recompute(
            written.map(\.objectID),
            touched: touched,
            formerDependents: formerDependents,
            overwritten: overwritten,
            in: &source,
            with: evaluator
        )
        try source.check()
        return rows
    }

    /// The error that a new row's key is in use already, or nil.
    private func takenKey(of request: StoreSaveRequest, _ connection: Connection) throws -> StoreError? {
        for insertion in request.insertions {
            let entity = insertion.objectID.entity
            guard let table = schema.table(of: entity), let key = key(of: insertion.objectID) else { continue }
            let row: SQL = "SELECT 1 FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))"
            if try connection.first(row, { _ in true }) != nil { return .takenKey(try rootNumber(of: entity)) }
        }
        return nil
    }

    private func write(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        _ places: ExternalPlaces,
        _ order: MemberOrder?,
        yieldingUniqueValues: Bool = false
    ) throws -> [Snapshot] {
        try connection.savepoint {
            var writer = SaveWriter(connection, self, places, order)
            return try writer.write(request, yieldingUniqueValues: yieldingUniqueValues)
        }
    }
}

extension StoreError {
    fileprivate static let unexplainedCollision = StoreError(
        .damaged,
        "A row can't be written, although no readable row conflicts with it.",
        hint: "`outcrop store check` finds where the file is damaged."
    )
}
