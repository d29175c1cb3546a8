// SPDX-License-Identifier: Apache-2.0

// A job of the writer, and its outcome.

import Basics
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
    /// The slot that its thread has freed while it waits.
    let slot: ThreadSlot?
    let arrival = ContinuousClock.now
    let run: @Sendable (Connection) throws -> Void
    /// Wakes the waiting thread when the job is finished or must lead.
    let semaphore = DispatchSemaphore(value: 0)
    let outcome = LockedValue<Outcome?>(nil)

    init(_ kind: Kind, limit: OperationLimit, slot: ThreadSlot?, run: @escaping @Sendable (Connection) throws -> Void) {
        self.kind = kind
        self.limit = limit
        self.slot = slot
        self.run = run
    }

    /// Runs the job within its limits.
    func perform(on connection: Connection) throws {
        try connection.within(deadline: limit.deadline, cancellation: limit.cancellation) { try run(connection) }
    }

    /// Lets the waiting thread go on, with its slot: threads that are woken together needn't contend for the pool.
    func wake() {
        slot?.take()
        semaphore.signal()
    }

    func finish(_ error: (any Error)? = nil) { outcome.value = Outcome(error: error) }
}
