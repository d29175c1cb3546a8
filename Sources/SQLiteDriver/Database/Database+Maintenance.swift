// SPDX-License-Identifier: Apache-2.0

// Keeping a shared file sound, small and copied.

extension Database {
    /// Copies the database into a new file, while others go on writing.
    public func backup(
        to path: String,
        pagesPerStep: Int = 1000,
        progress: @Sendable (BackupProgress) throws -> Void = { _ in }
    ) throws {
        try withSpareReader { try $0.backUp(to: path, pagesPerStep: pagesPerStep, progress: progress) }
    }

    /// What is wrong with the file; nothing where it is sound.
    public func integrityCheck(limit: Int = 100) throws -> [String] {
        try withSpareReader { try $0.integrityCheck(limit: limit) }
    }

    /// Writes the log back into the file.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> Checkpoint {
        try exclusively { try $0.checkpoint(mode) }
    }

    /// Writes the log back into the file and empties it, unless another program or a snapshot is in the way.
    ///
    /// - Returns: Whether it is empty.
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

    /// Gives free pages back to the disk, all or some of them, where the file was made for that.
    public func incrementalVacuum(pages: Int? = nil) throws {
        try exclusively { try $0.incrementalVacuum(pages: pages) }
    }

    /// Another number after each commit of another program, but not of this database.
    public func dataVersion() throws -> Int64 {
        // One connection must look each time: the writer, or of those that are only read always the same.
        guard configuration.access == .readOnly else { return try exclusively { try $0.dataVersion } }
        return try watching { try $0.dataVersion }
    }
}
