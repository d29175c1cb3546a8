// SPDX-License-Identifier: Apache-2.0

// How long something may wait and run.

import Dispatch

struct Limit: Sendable {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?
    /// When it gives up waiting for its turn, though it might run longer.
    var turnDeadline: ContinuousClock.Instant?

    /// When it gives up waiting.
    var waitEnd: ContinuousClock.Instant? {
        guard let deadline, let turnDeadline else { return deadline ?? turnDeadline }
        return min(deadline, turnDeadline)
    }

    /// How long somebody who may be cancelled waits until he asks whether he is.
    private static let patience = Duration.milliseconds(20)

    /// When to look whether to give up waiting.
    private var timeout: DispatchTime {
        let end = waitEnd
        if end == nil, cancellation == nil { return .distantFuture }
        var left = end.map { $0 - .now } ?? Self.patience
        if cancellation != nil { left = min(left, Self.patience) }
        return .now() + .nanoseconds(Int(max(0, min(left / .nanoseconds(1), 9e18))))
    }

    private var isCancelled: Bool { cancellation?.isCancelled ?? false }

    /// Waits for a semaphore; false where that was given up.
    func wait(for semaphore: DispatchSemaphore) -> Bool {
        while semaphore.wait(timeout: timeout) == .timedOut {
            if isCancelled { return false }
            if let waitEnd, waitEnd <= .now { return false }
        }
        return true
    }

    /// Why waiting was given up.
    func reason(_ late: SQLiteError) -> SQLiteError { isCancelled ? .cancelled : late }
}
