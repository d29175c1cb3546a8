// SPDX-License-Identifier: Apache-2.0

// Reads the counters in the index of a write-ahead log: of commits, and of checkpoints. A file in WAL mode is written only
// by checkpoints.

import CSQLite
import Files

/// The index of the log, which the connections of a database share with those of other processes.
// Safe, and Sendable: the memory is only read, atomically, and remains mapped while its connection is open. Its owner
// doesn't read it after that.
@safe
struct LogIndex: @unchecked Sendable {
    private let start: UnsafeRawPointer

    /// Nil for a connection without a log.
    init?(_ connection: Connection) {
        guard let name = connection.fileName, FileSystem.exists(name + "-shm"),
            let start = unsafe csqlite_log_index(connection.handle)
        else { return nil }
        unsafe self.start = start
    }

    struct Checkpoints: Hashable, Sendable {
        private let salt: UInt32
        private let secondSalt: UInt32
        private let written: UInt32
        private let attempted: UInt32

        fileprivate init(_ checkpoints: csqlite_checkpoints) {
            salt = checkpoints.salts.0
            secondSalt = checkpoints.salts.1
            written = checkpoints.written
            attempted = checkpoints.attempted
        }

        /// Whether a checkpoint is running, or was begun and not completed.
        var isUnderWay: Bool { attempted > written }
    }

    /// A number that changes with each commit of any process.
    var commitCount: UInt32 { unsafe csqlite_read_commit_count(start) }

    var checkpoints: Checkpoints { unsafe Checkpoints(csqlite_read_checkpoints(start)) }
}
