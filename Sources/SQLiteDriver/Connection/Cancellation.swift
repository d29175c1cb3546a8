// SPDX-License-Identifier: Apache-2.0

// A flag that cancels statements.

import Synchronization

/// Makes every statement that runs under it fail with `.interrupted` once it is cancelled.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)
    private let question: (@Sendable () -> Bool)?

    /// - Parameter question: also polled, to adapt a cancellation of another kind.
    public init(asking question: (@Sendable () -> Bool)? = nil) {
        self.question = question
    }

    public func cancel() { flag.store(true, ordering: .releasing) }

    public var isCancelled: Bool { flag.load(ordering: .acquiring) || question?() ?? false }
}
