// SPDX-License-Identifier: Apache-2.0

// Work that runs while a test does something else.

import Dispatch

/// Runs a closure on a thread of its own.
final class Background: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "background").async { [done] in
            body()
            done.signal()
        }
    }

    func join() { done.wait() }
}
