// SPDX-License-Identifier: Apache-2.0

// Something to be written, and what became of it.

import Dispatch

/// What a thread wants the writer to do.
final class WriterJob: Sendable {
    enum Kind: Sendable {
        /// In a transaction that others may share.
        case write
        /// In a transaction of its own, which is begun once.
        case writeAlone
        /// Without a transaction.
        case alone

        /// Whether the lock for writing is needed from the start.
        var needsLock: Bool { self != .alone }
    }

    struct Outcome: Sendable {
        let error: (any Error)?
    }

    let kind: Kind
    let limit: Limit
    let arrival = ContinuousClock.now
    let run: @Sendable (Connection) throws -> Void
    /// Wakes the one who waits: the job is finished, or it is to lead.
    let semaphore = DispatchSemaphore(value: 0)
    let outcome = Shared<Outcome?>(nil)

    init(_ kind: Kind, _ limit: Limit, run: @escaping @Sendable (Connection) throws -> Void) {
        self.kind = kind
        self.limit = limit
        self.run = run
    }

    /// Runs it within its limits.
    func perform(on connection: Connection) throws {
        try connection.within(deadline: limit.deadline, cancellation: limit.cancellation) { try run(connection) }
    }

    func finish(_ error: (any Error)? = nil) { outcome.value = Outcome(error: error) }
}
