// SPDX-License-Identifier: Apache-2.0

// Work in the background that only the end of the store waits for.

import SQLiteDriver
import Synchronization

/// Background work that can be cancelled and waited for.
final class BackgroundWork: Sendable {
    let cancellation = Cancellation()
    private let isEnded = Mutex(false)

    /// Runs `body`, or returns nil after the end.
    @discardableResult
    func run<Result: Sendable>(_ body: () -> Result?) -> Result? {
        isEnded.withLock { isEnded in isEnded ? nil : body() }
    }

    /// Cancels the work and waits until what is running has returned.
    func end() {
        cancellation.cancel()
        isEnded.withLock { $0 = true }
    }
}
