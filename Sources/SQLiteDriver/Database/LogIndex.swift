// SPDX-License-Identifier: Apache-2.0

// What the index of a log says of checkpoints, by which alone a file with a log is written.

import CSQLite
import Files

/// The index of the log that the connections of a database share with those of other programs.
// Safe, and Sendable: the memory is only read, atomically, and is mapped as long as the connection is open that it is of. Its
// owner asks for nothing after that.
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

        /// Whether one is being done, or was begun and not completed.
        var isUnderWay: Bool { attempted > written }
    }

    var checkpoints: Checkpoints { unsafe Checkpoints(csqlite_read_checkpoints(start)) }
}
