// SPDX-License-Identifier: Apache-2.0

// Threads, for tests of what several of them do.

import Dispatch

/// Runs something on as many threads at once, however few cores there are, and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for thread in 0..<count {
        // Each queue of its own has a thread of its own while it is blocked.
        DispatchQueue(label: "thread \(thread)").async(group: group) { body(thread) }
    }
    group.wait()
}

/// Lets other threads run for a moment.
func pause() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }
