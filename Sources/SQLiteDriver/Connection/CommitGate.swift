// SPDX-License-Identifier: Apache-2.0

// Keeps a transaction open until the one who began it ends it.

import CSQLite

/// Whether a COMMIT is let through. One that isn't becomes a rollback.
final class CommitGate {
    var isOpen = true
}

extension Connection {
    /// Lets no statement within commit the transaction that is open.
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
