// SPDX-License-Identifier: Apache-2.0

// What bounds the statements of a connection in time.

import CSQLite
import Glibc

/// A deadline and a cancellation, which SQLite asks for every so many steps of its machine, and between two looks at a lock that
/// another connection holds.
final class Limits {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?
    /// How long a statement waits for a lock.
    var busyTimeout: Duration
    /// When the present wait for a lock ends.
    private var waitEnd = ContinuousClock.now

    init(busyTimeout: Duration) {
        self.busyTimeout = min(busyTimeout, Self.longestTimeout)
    }

    private static let longestTimeout = Duration.seconds(1_000_000_000)

    /// The steps between two questions, which take some ten microseconds.
    static let interval: CInt = 1000

    var isEmpty: Bool { deadline == nil && cancellation == nil }

    func check() throws(SQLiteError) {
        if let error = exceeded { throw error }
    }

    /// Why a statement was interrupted, where it is due to the limits.
    func reason(for result: CInt) -> SQLiteError? { result & 0xFF == SQLITE_INTERRUPT ? exceeded : nil }

    var exceeded: SQLiteError? {
        if let cancellation, cancellation.isCancelled { return .cancelled }
        if let deadline, ContinuousClock.now >= deadline { return .pastDeadline }
        return nil
    }

    /// Waits a moment for a lock. False when the time for that is over.
    ///
    /// - Parameter look: How often the present statement has found the lock taken before.
    func waitForLock(look: Int) -> Bool {
        let now = ContinuousClock.now
        if look == 0 { waitEnd = deadline.map { min($0, now + busyTimeout) } ?? now + busyTimeout }
        guard now < waitEnd, exceeded == nil else { return false }
        let pause = min(.milliseconds(min(look + 1, Self.longestPause)), waitEnd - now)
        usleep(UInt32(pause / .microseconds(1)) + 1)
        return true
    }

    /// The longest time between two looks at a lock, in milliseconds.
    private static let longestPause = 25
}
