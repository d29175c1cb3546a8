// SPDX-License-Identifier: Apache-2.0

// How one thread stops what another one's connection is doing.

import CSQLite
import Synchronization

/// Interrupts what a connection is doing: its statements that are running then fail with `.interrupted`.
// Safe: the pointer is used under the lock only, and taken away before the connection is closed.
@safe
public final class InterruptHandle: Sendable {
    private let target: Mutex<Target>

    // Sendable: SQLite lets any thread interrupt, as long as the connection is open.
    @safe
    private struct Target: @unchecked Sendable {
        var handle: OpaquePointer?
    }

    init(_ handle: OpaquePointer) {
        target = Mutex(unsafe Target(handle: handle))
    }

    public func interrupt() {
        target.withLock { target in
            if let handle = unsafe target.handle { unsafe sqlite3_interrupt(handle) }
        }
    }

    func close() {
        target.withLock { unsafe $0.handle = nil }
    }
}
