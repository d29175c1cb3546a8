// SPDX-License-Identifier: Apache-2.0

// Threads, for tests of concurrent work.

import Dispatch

/// Runs a closure on that many threads at once, however few cores there are, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for thread in 0..<count {
        // Each dispatch queue has a thread of its own while it is blocked.
        DispatchQueue(label: "thread \(thread)").async(group: group) { body(thread) }
    }
    group.wait()
}

/// Lets other threads run for a moment.
func pause() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }
