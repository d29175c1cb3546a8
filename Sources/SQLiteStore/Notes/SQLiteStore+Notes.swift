// SPDX-License-Identifier: Apache-2.0

// Reads the notes that were written with saves.

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
        try writing { [tables] connection in
            try tables.history?.mark(connection)
            try connection.removeNotes(beginningWith: prefix)
        }
    }
}
