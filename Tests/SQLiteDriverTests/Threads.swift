// SPDX-License-Identifier: Apache-2.0

// Threads, for tests of concurrent work.

import Dispatch
import SQLiteDriver

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

/// Starts a write that has acquired the writer when this returns, and holds it until the semaphore is signalled.
func hold(_ database: Database, in group: DispatchGroup) -> DispatchSemaphore {
    let (holds, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue.global().async(group: group) {
        try? database.exclusively { _ in
            holds.signal()
            release.wait()
        }
    }
    holds.wait()
    return release
}

/// Queues jobs in their order while the writer is held, so that they form one group.
func together(_ database: Database, _ jobs: [@Sendable () -> Void]) {
    let group = DispatchGroup()
    let release = hold(database, in: group)
    for (index, job) in jobs.enumerated() {
        let thread = DispatchQueue(label: "job")
        thread.async(group: group) { job() }
        while database.waitingWriteCount <= index { pause() }
    }
    release.signal()
    group.wait()
}
