// SPDX-License-Identifier: Apache-2.0

// Keeping a file sound and small.

import CSQLite

/// How far a log is written back into its file.
public enum CheckpointMode: Hashable, Sendable {
    /// As far as it goes without waiting for anybody.
    case passive
    /// All of it. Waits for readers and the writer.
    case full
    /// All of it, and the log begins anew with the next write.
    case restart
    /// All of it, and the log is emptied.
    case truncate
}

/// What a checkpoint has done.
public struct Checkpoint: Hashable, Sendable {
    /// The pages in the log.
    public let logPages: Int
    /// Those of them that are in the file by now.
    public let writtenPages: Int
}

extension Connection {
    /// What is wrong with the file; nothing where it is sound. A limit bounds how much is told.
    public func integrityCheck(limit: Int = 100) throws(SQLiteError) -> [String] {
        let sql: SQL = "PRAGMA integrity_check(\(literal: .integer(Int64(max(1, limit)))))"
        let statement = try prepare(sql)
        var faults: [String] = []
        while try statement.step() { faults.append(statement.string(0)) }
        return faults == ["ok"] ? [] : faults
    }

    /// Writes the log back into the file.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> Checkpoint {
        try checkPlace()
        // A connection that has read nothing yet doesn't know that there is a log.
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

    /// Gives free pages back to the disk, all or some of them, where the file was made for that.
    public func incrementalVacuum(pages: Int? = nil) throws(SQLiteError) {
        try checkPlace()
        try execute("PRAGMA incremental_vacuum(\(literal: .integer(Int64(pages ?? 0))))")
    }
}
