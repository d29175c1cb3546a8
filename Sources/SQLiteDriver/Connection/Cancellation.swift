// SPDX-License-Identifier: Apache-2.0

// A wish to stop that stays.

import Synchronization

/// Once cancelled, every statement that is run under it fails with `.interrupted`.
public final class Cancellation: Sendable {
    private let flag = Atomic(false)

    public init() {}

    public func cancel() { flag.store(true, ordering: .releasing) }

    public var isCancelled: Bool { flag.load(ordering: .acquiring) }
}
