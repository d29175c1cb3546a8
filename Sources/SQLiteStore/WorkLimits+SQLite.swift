// SPDX-License-Identifier: Apache-2.0

// Applies the engine's work limits to SQLite.

import ObjectGraph
import SQLiteDriver

extension WorkLimits {
    var cancellation: Cancellation? { isCancelled.map(Cancellation.init(asking:)) }
}

extension Database {
    /// Writes under the work limits of the calling thread, which also apply to evaluation in memory
    /// on the writer's thread.
    ///
    /// - Parameter turnDeadline: When to give up waiting for the turn to write and for the lock.
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
