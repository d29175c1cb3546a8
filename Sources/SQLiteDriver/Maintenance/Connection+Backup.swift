// SPDX-License-Identifier: Apache-2.0

// Backup of a database that is in use.

import CSQLite
import Dispatch

/// The progress of a backup.
public struct BackupProgress: Hashable, Sendable {
    public let copiedPages: Int
    public let pages: Int
}

extension Connection {
    /// Copies the database into a new file. Writes can continue meanwhile. The file appears only when it is complete;
    /// if this or `progress` throws, no file is left behind.
    public func backUp(
        to path: String,
        pagesPerStep: Int = 1000,
        progress: (BackupProgress) throws -> Void = { _ in }
    ) throws {
        let file = try NewFile(path, like: self.path)
        do {
            // In WAL mode, one transaction for the whole copy keeps commits of others from restarting it.
            let journalMode = try first("PRAGMA journal_mode") { $0.string(0) }
            let isOurs = journalMode == "wal" && !isInTransaction
            if isOurs {
                try begin(.deferred)
                _ = try schemaVersion
            }
            defer { if isOurs { rollBack() } }
            try copyPages(to: file.temporaryPath, max(1, pagesPerStep), progress)
            try file.moveIntoPlace()
        } catch {
            file.remove()
            throw error
        }
    }

    private func copyPages(
        to path: String,
        _ pagesPerStep: Int,
        _ progress: (BackupProgress) throws -> Void
    ) throws {
        let copy = try Connection(path: path)
        // No other connection uses the file, and it is synced as a whole afterwards.
        try copy.set("journal_mode", to: "memory")
        try copy.set("synchronous", to: "off")
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw unsafe SQLiteError.latest(of: copy.handle, result: sqlite3_errcode(copy.handle))
        }
        var isFinished = false
        defer { if !isFinished { unsafe sqlite3_backup_finish(backup) } }
        var patience = ContinuousClock.now + options.busyTimeout
        while true {
            try limits.check()
            let result = unsafe sqlite3_backup_step(backup, CInt(clamping: pagesPerStep))
            let pages = unsafe Int(sqlite3_backup_pagecount(backup))
            let left = unsafe Int(sqlite3_backup_remaining(backup))
            switch result & 0xFF {
            case SQLITE_OK, SQLITE_DONE:
                patience = .now + options.busyTimeout
                try progress(BackupProgress(copiedPages: pages - left, pages: pages))
            case SQLITE_BUSY where .now < patience, SQLITE_LOCKED where .now < patience:
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
            default: throw SQLiteError.of(result)
            }
            if result == SQLITE_DONE { break }
        }
        isFinished = true
        let result = unsafe sqlite3_backup_finish(backup)
        guard result == SQLITE_OK else { throw unsafe SQLiteError.latest(of: copy.handle, result: result) }
    }
}
