// SPDX-License-Identifier: Apache-2.0

// How long something may wait and run.

import Dispatch

struct Limit: Sendable {
    var deadline: ContinuousClock.Instant?
    var cancellation: Cancellation?

    /// When to give up waiting.
    var timeout: DispatchTime {
        guard let deadline else { return .distantFuture }
        let left = (deadline - .now) / .nanoseconds(1)
        return .now() + .nanoseconds(Int(max(0, min(left, 9e18))))
    }
}
