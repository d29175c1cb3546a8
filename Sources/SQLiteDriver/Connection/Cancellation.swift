// SPDX-License-Identifier: Apache-2.0

// A wish to stop that stays.

import Synchronization

/// Once cancelled, every statement that is run under it fails with `.interrupted`.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)
    private let question: (@Sendable () -> Bool)?

    /// - Parameter question: what is asked besides, for somebody who has a cancellation of another kind.
    public init(asking question: (@Sendable () -> Bool)? = nil) {
        self.question = question
    }

    public func cancel() { flag.store(true, ordering: .releasing) }

    public var isCancelled: Bool { flag.load(ordering: .acquiring) || question?() ?? false }
}
