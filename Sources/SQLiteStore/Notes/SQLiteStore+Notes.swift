// SPDX-License-Identifier: Apache-2.0

// Notes that are kept with saves, in the same transaction.

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
    /// Does a save within a transaction, and keeps a note of it where one is to be kept.
    func save(
        _ request: StoreSaveRequest,
        _ connection: Connection,
        places: ExternalPlaces = [:],
        noting note: PendingNote<[Snapshot]>?,
        now: Date = .now
    ) throws -> StoreSaveResult {
        if let note { try connection.checkKey(of: note) }
        let result = try save(request, connection, places: places, now: now)
        if let note, case .saved(let written) = result { try connection.write(note, of: written) }
        return result
    }
}
