// SPDX-License-Identifier: Apache-2.0

// How long an operation may wait and run.

import Dispatch

struct OperationLimit: Sendable {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?
    /// When to stop waiting for a turn, if that is earlier than the deadline.
    var turnDeadline: ContinuousClock.Instant?

    /// When to stop waiting.
    var waitEnd: ContinuousClock.Instant? {
        guard let deadline, let turnDeadline else { return deadline ?? turnDeadline }
        return min(deadline, turnDeadline)
    }

    /// How often a waiting thread polls its cancellation.
    private static let patience = Duration.milliseconds(20)

    /// When to poll again.
    private var timeout: DispatchTime {
        let end = waitEnd
        if end == nil, cancellation == nil { return .distantFuture }
        var left = end.map { $0 - .now } ?? Self.patience
        if cancellation != nil { left = min(left, Self.patience) }
        return .now() + .nanoseconds(Int(max(0, min(left / .nanoseconds(1), 9e18))))
    }

    private var isCancelled: Bool { cancellation?.isCancelled ?? false }

    /// Waits for a semaphore; false if the time limit passed or the wait was cancelled.
    func wait(for semaphore: DispatchSemaphore) -> Bool {
        while semaphore.wait(timeout: timeout) == .timedOut {
            if isCancelled { return false }
            if let waitEnd, waitEnd <= .now { return false }
        }
        return true
    }

    /// Why the wait ended without success.
    func reason(_ late: SQLiteError) -> SQLiteError { isCancelled ? .cancelled : late }
}
