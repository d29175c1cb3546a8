// SPDX-License-Identifier: Apache-2.0

// What a store does that nobody waits for, but for the end of the store.

import SQLiteDriver
import Synchronization

/// Work that is given up when it is ended, and is over then.
final class BackgroundWork: Sendable {
    let cancellation = Cancellation()
    private let isEnded = Mutex(false)

    /// Does nothing after the end, and returns nil then.
    @discardableResult
    func run<Result: Sendable>(_ body: () -> Result?) -> Result? {
        isEnded.withLock { isEnded in isEnded ? nil : body() }
    }

    /// Waits for what has begun, and not for what hasn't.
    func end() {
        cancellation.cancel()
        isEnded.withLock { $0 = true }
    }
}
