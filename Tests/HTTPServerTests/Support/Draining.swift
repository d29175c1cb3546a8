// SPDX-License-Identifier: Apache-2.0

// Draining while a test continues.

import Dispatch
import HTTPServer
import Synchronization

/// Drains a server on a thread of its own.
final class Draining: Sendable {
    private let isOver = Mutex(false)
    private let end = DispatchSemaphore(value: 0)

    init(_ server: HTTPServer, timeout: Duration) {
        DispatchQueue(label: "draining").async { [self] in
            let result = server.drain(timeout: timeout)
            isOver.withLock { $0 = result }
            end.signal()
        }
    }

    /// Waits for the end, and returns whether everything was completed.
    func result() -> Bool {
        end.wait()
        return isOver.withLock { $0 }
    }
}
