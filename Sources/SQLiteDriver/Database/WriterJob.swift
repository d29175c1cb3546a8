// SPDX-License-Identifier: Apache-2.0

// A job of the writer, and its outcome.

import Dispatch

/// Work that a thread submits to the writer.
final class WriterJob: Sendable {
    enum Kind: Sendable {
        /// In a transaction that may be shared.
        case write
        /// In a transaction of its own. The job runs once.
        case writeAlone
        /// Without a transaction.
        case alone

        /// Whether the job needs the write lock from the start.
        var needsLock: Bool { self != .alone }
    }

    struct Outcome: Sendable {
        let error: (any Error)?
    }

    let kind: Kind
    let limit: OperationLimit
    let arrival = ContinuousClock.now
    let run: @Sendable (Connection) throws -> Void
    /// Wakes the waiting thread when the job is finished or must lead.
    let semaphore = DispatchSemaphore(value: 0)
    let outcome = LockedValue<Outcome?>(nil)

    init(_ kind: Kind, limit: OperationLimit, run: @escaping @Sendable (Connection) throws -> Void) {
        self.kind = kind
        self.limit = limit
        self.run = run
    }

    /// Runs the job within its limits.
    func perform(on connection: Connection) throws {
        try connection.within(deadline: limit.deadline, cancellation: limit.cancellation) { try run(connection) }
    }

    func finish(_ error: (any Error)? = nil) { outcome.value = Outcome(error: error) }
}
