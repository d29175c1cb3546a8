// SPDX-License-Identifier: Apache-2.0

// Integrity checks and checkpoints.

import CSQLite

/// How much of a log a checkpoint writes back into the file.
public enum CheckpointMode: Hashable, Sendable {
    /// As much as is possible without waiting for other connections.
    case passive
    /// All of it. Waits for readers and the writer.
    case full
    /// All of it; the next write restarts the log.
    case restart
    /// All of it, and the log is truncated.
    case truncate
}

/// The result of a checkpoint.
public struct Checkpoint: Hashable, Sendable {
    /// The pages in the log.
    public let logPages: Int
    /// How many of them have been written into the file.
    public let writtenPages: Int
}

extension Connection {
    /// The defects of the file, up to a limit; empty if it is sound. Throws only if damage keeps all of it from being checked.
    public func integrityCheck(limit: Int = 100) throws(SQLiteError) -> [String] {
        let limit = max(1, limit)
        var defects: [String] = []
        do {
            try addDefects(to: &defects, limit: limit)
        } catch  where error.code.primary == .corrupt {
            if defects.isEmpty {
                // Damage of the schema keeps any statement from being prepared, unless its errors are ignored.
                ignoreSchemaErrors(true)
                defer { ignoreSchemaErrors(false) }
                do { try addDefects(to: &defects, limit: limit) } catch  where error.code.primary == .corrupt {}
            }
            if defects.isEmpty { throw error }
        }
        return Array(defects.prefix(limit))
    }

    /// Ignores errors of the schema, which needs a schema that may be written, and no defense against that.
    private func ignoreSchemaErrors(_ isOn: Bool) {
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, isOn ? 0 : 1)
        unsafe csqlite_switch(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, isOn ? 1 : 0)
    }

    private func addDefects(to defects: inout [String], limit: Int) throws(SQLiteError) {
        let statement = try prepare("PRAGMA integrity_check(\(literal: .integer(Int64(limit))))")
        while try statement.step() {
            // A row may have several lines, below one that names the database.
            let lines = statement.string(0).split(separator: "\n").map(String.init)
            defects += lines.filter { $0 != "ok" && !$0.hasPrefix("*** in database ") }
        }
    }

    /// Writes the log back into the file.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> Checkpoint {
        try checkPlace()
        // A connection that has read nothing yet doesn't know of the log.
        _ = try schemaVersion
        let code =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var log: CInt = 0
        var written: CInt = 0
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, "main", code, &log, &written)
        guard result == SQLITE_OK else { throw unsafe .latest(of: handle, result: result) }
        return Checkpoint(logPages: max(0, Int(log)), writtenPages: max(0, Int(written)))
    }

    /// Returns free pages to the file system, all or a number of them, if the file has incremental auto-vacuum.
    public func incrementalVacuum(pages: Int? = nil) throws(SQLiteError) {
        try checkPlace()
        try execute("PRAGMA incremental_vacuum(\(literal: .integer(Int64(pages ?? 0))))")
    }
}
