// SPDX-License-Identifier: Apache-2.0

// The limits of the engine as those of SQLite.

import ObjectGraph
import SQLiteDriver

extension WorkLimits {
    var cancellation: Cancellation? { isCancelled.map(Cancellation.init(asking:)) }
}

extension Database {
    /// Writes under the limits of whoever asks for it: what is evaluated in memory goes by these, too, whichever thread does it.
    ///
    /// - Parameter turnDeadline: When it gives up waiting for its turn and for the lock.
    func writeWithinLimits<Result: Sendable>(
        turnDeadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        let limits = WorkLimits.current
        return try write(
            deadline: limits?.deadline,
            cancellation: limits?.cancellation,
            turnDeadline: turnDeadline
        ) { connection in
            try WorkLimits.$current.withValue(limits) { try body(connection) }
        }
    }
}
