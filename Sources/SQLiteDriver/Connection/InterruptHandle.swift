// SPDX-License-Identifier: Apache-2.0

// Interrupts a connection from another thread.

import CSQLite
import Synchronization

/// Interrupts a connection: its running statements fail with `.interrupted`.
// Safe: the pointer is used only under the lock, and removed before the connection is closed.
@safe
public final class InterruptHandle: Sendable {
    private let target: Mutex<Target>

    // Sendable: SQLite allows an interrupt from any thread while the connection is open.
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
