// SPDX-License-Identifier: Apache-2.0

// Draining while a test looks on.

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

    /// Whether all came to its end, once it is known.
    func result() -> Bool {
        end.wait()
        return isOver.withLock { $0 }
    }
}
