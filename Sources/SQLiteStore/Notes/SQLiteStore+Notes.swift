// SPDX-License-Identifier: Apache-2.0

// Notes and marks that are kept with saves, in the same transaction.

import FoundationEssentials
public import ObjectGraph
import SQLiteDriver

extension SQLiteStore {
    public var keepsNotes: Bool { true }

    public func note(_ key: String) throws -> StoreNote? {
        let limits = WorkLimits.current
        return try naming {
            try database.read(deadline: limits?.deadline, cancellation: limits?.cancellation) { connection in
                try connection.transaction { try connection.note(key) }
            }
        }
    }
}

extension StoreTables {
    /// Does a save within a transaction, with what belongs to its commit.
    func save(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        places: ExternalPlaces = [:],
        commit: Commit<[Snapshot]>,
        now: Date = .now
    ) throws -> StoreSaveResult {
        try connection.checkNote(of: commit)
        let result = try save(request, connection, places: places, now: now)
        if case .saved(let written) = result {
            try modelRecord?.write(connection)
            try connection.write(commit, of: written)
        }
        return result
    }
}
