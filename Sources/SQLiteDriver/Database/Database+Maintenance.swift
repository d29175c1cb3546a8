// SPDX-License-Identifier: Apache-2.0

// Integrity checks, checkpoints and backups of a shared database.

extension Database {
    /// Copies the database into a new file. Writes can continue meanwhile.
    public func backup(
        to path: String,
        pagesPerStep: Int = 1000,
        progress: @Sendable (BackupProgress) throws -> Void = { _ in }
    ) throws {
        try withSpareReader { try $0.backUp(to: path, pagesPerStep: pagesPerStep, progress: progress) }
    }

    /// The defects of the file; empty if it is sound.
    public func integrityCheck(limit: Int = 100) throws -> [String] {
        try withSpareReader { try $0.integrityCheck(limit: limit) }
    }

    /// Writes the log back into the file.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> Checkpoint {
        try exclusively { try $0.checkpoint(mode) }
    }

    /// Writes the log back into the file and truncates it, unless another process or a snapshot prevents that.
    ///
    /// - Returns: Whether the log is empty.
    public func emptyLog() throws -> Bool {
        try exclusively { connection in
            do throws(SQLiteError) {
                _ = try connection.waiting(.zero) { () throws(SQLiteError) in try connection.checkpoint(.truncate) }
                return true
            } catch {
                guard error.code.primary == .busy else { throw error }
                return false
            }
        }
    }

    /// Returns free pages to the file system, all or a number of them, if the file has incremental auto-vacuum.
    public func incrementalVacuum(pages: Int? = nil) throws {
        try exclusively { try $0.incrementalVacuum(pages: pages) }
    }

    /// Whether another process may have committed since `noticeCommits(through:)`: cheap enough for each read. Always
    /// false for a database that is read-only or has no log; its `dataVersion()` shows the same.
    public var hasUnseenCommits: Bool { withFile { $0.hasUnseenCommits } ?? false }

    /// The number of commits by all processes, to be passed to `noticeCommits(through:)`; nil if it isn't known.
    public var logCommitCount: UInt32? { withFile(\.commitCount) ?? nil }

    /// Marks all commits up to a number as noticed.
    public func noticeCommits(through count: UInt32) { withFile { $0.setSeenCommits(count) } }

    /// A number that changes with each commit of another process, but not with those of this database.
    public func dataVersion() throws -> Int64 {
        // Values are comparable only on one connection: the writer, or the watcher of a read-only database.
        guard configuration.access == .readOnly else { return try exclusively { try $0.dataVersion } }
        return try watching { try $0.dataVersion }
    }
}
