// SPDX-License-Identifier: Apache-2.0

// Prevents a commit of an open transaction by the statements within it.

import CSQLite

/// Whether a COMMIT may go through; otherwise SQLite turns it into a rollback.
final class CommitGate {
    var isOpen = true
}

extension Connection {
    /// Runs a closure during which no statement can commit the open transaction.
    func withCommitGateClosed<R>(_ body: () throws -> R) rethrows -> R {
        if commitGate.isOpen {
            let context = unsafe Unmanaged.passUnretained(commitGate).toOpaque()
            unsafe sqlite3_commit_hook(
                handle,
                { unsafe Unmanaged<CommitGate>.fromOpaque($0!).takeUnretainedValue().isOpen ? 0 : 1 },
                context
            )
        }
        commitGate.isOpen = false
        defer { commitGate.isOpen = true }
        return try body()
    }
}
