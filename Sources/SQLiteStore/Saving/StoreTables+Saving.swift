// SPDX-License-Identifier: Apache-2.0

// The steps of a save from its request to its result.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension StoreTables {
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
        let derived = derivations.isEmpty ? nil : try SaveDerivations(request, connection, self, now: now)
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
        if let derived { return .saved(try derived.derive(written, touched: request.touched)) }
        let others = triggered.drain(self)
        guard !others.isEmpty else { return .saved(written) }
        let reader = StoreReader(connection: connection, tables: self)
        let reread = try reader.snapshots(of: Array(others)).compactMap(\.self)
        return .saved(written.filter { !others.contains($0.objectID) } + reread)
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
