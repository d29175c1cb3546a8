// SPDX-License-Identifier: Apache-2.0

// Notes are written in the same transaction as a save.

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

extension SQLiteStore {
    /// Removes the notes whose keys begin with a text.
    package func removeNotes(beginningWith prefix: String) throws {
        try writing { try $0.removeNotes(beginningWith: prefix) }
    }
}

extension StoreTables {
    /// Executes a save within a transaction, and writes its commit's note.
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
