// SPDX-License-Identifier: Apache-2.0

// Time limits of a connection's statements.

import CSQLite
import Glibc

/// A deadline and a cancellation, which SQLite polls while a statement runs or waits for a lock.
final class Limits {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?
    /// How long a statement waits for a lock.
    var busyTimeout: Duration
    /// When the current wait for a lock ends.
    private var waitEnd = ContinuousClock.now

    init(busyTimeout: Duration) {
        self.busyTimeout = min(busyTimeout, Self.longestTimeout)
    }

    private static let longestTimeout = Duration.seconds(1_000_000_000)

    /// The virtual machine instructions between two polls: about a tenth of a millisecond, or a few rows if the deadline
    /// is only milliseconds away, since each row may have to be read from the disk.
    var interval: CInt {
        guard let deadline, deadline - ContinuousClock.now < Self.shortTime else { return 10_000 }
        return 250
    }

    private static let shortTime = Duration.milliseconds(5)

    var isEmpty: Bool { deadline == nil && cancellation == nil }

    func check() throws(SQLiteError) {
        if let error = exceeded { throw error }
    }

    /// The limit that caused an interruption, or nil if the limits didn't cause it.
    func reason(for result: CInt) -> SQLiteError? { result & 0xFF == SQLITE_INTERRUPT ? exceeded : nil }

    var exceeded: SQLiteError? {
        if let cancellation, cancellation.isCancelled { return .cancelled }
        if let deadline, ContinuousClock.now >= deadline { return .pastDeadline }
        return nil
    }

    /// Waits a moment for a lock; false when the timeout has elapsed.
    ///
    /// - Parameter attempt: How often the current statement has already found the lock held.
    func waitForLock(attempt: Int) -> Bool {
        let now = ContinuousClock.now
        if attempt == 0 { waitEnd = deadline.map { min($0, now + busyTimeout) } ?? now + busyTimeout }
        guard now < waitEnd, exceeded == nil else { return false }
        let pause = min(.milliseconds(min(attempt + 1, Self.longestPause)), waitEnd - now)
        usleep(UInt32(pause / .microseconds(1)) + 1)
        return true
    }

    /// The longest pause between two attempts, in milliseconds.
    private static let longestPause = 25
}
