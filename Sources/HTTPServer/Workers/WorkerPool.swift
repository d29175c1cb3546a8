// SPDX-License-Identifier: Apache-2.0

// Threads for what may wait: for a disk, or for a slow client.

import Dispatch
import Synchronization

/// A fixed number of threads, and a queue of bounded length before them.
final class WorkerPool: Sendable {
    typealias Job = @Sendable () -> Void

    private let capacity: Int
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let endings = DispatchSemaphore(value: 0)

    private struct State {
        var queue = Queue<Job>()
        var busy = 0
        /// Threads that wait, and nobody has woken.
        var idle = 0
        var isStopped = false
        var threads: [WorkerThread] = []
    }

    init(_ name: String, threads count: Int, queueLength: Int) throws(ServerError) {
        capacity = max(1, count) + max(0, queueLength)
        for _ in 0..<max(1, count) {
            do throws(ServerError) {
                let thread = try WorkerThread(name) { [self] in work() }
                state.withLock { $0.threads.append(thread) }
            } catch {
                stop(within: .seconds(1))
                throw error
            }
        }
    }

    /// Has a job done as soon as a thread is free. False where too many wait already, or the end has come.
    func submit(_ job: @escaping Job) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isStopped, state.busy + state.queue.count < capacity else { return (false, false) }
            state.queue.append(job)
            let wakes = state.idle > 0
            if wakes { state.idle -= 1 }
            return (true, wakes)
        }
        if wakes { arrivals.signal() }
        return isTaken
    }

    /// Drops what waits, and waits for what runs, though no longer than it is given: threads that go on are let go.
    @discardableResult
    func stop(within limit: Duration) -> Bool {
        let (threads, idle) = state.withLock { state in
            defer { (state.threads, state.idle) = ([], 0) }
            state.isStopped = true
            state.queue.removeAll()
            return (state.threads, state.idle)
        }
        for _ in 0..<idle { arrivals.signal() }
        let deadline = DispatchTime.now() + .nanoseconds(limit.nanoseconds)
        let isOver = threads.allSatisfy { _ in endings.wait(timeout: deadline) == .success }
        for thread in threads {
            if isOver { thread.join() } else { thread.detach() }
        }
        return isOver
    }

    private func work() {
        while let job = next() {
            job()
            state.withLock { $0.busy -= 1 }
        }
        endings.signal()
    }

    private func next() -> Job? {
        while true {
            let (job, isStopped) = state.withLock { state in
                let job = state.queue.popFirst()
                if job != nil { state.busy += 1 } else if !state.isStopped { state.idle += 1 }
                return (job, state.isStopped)
            }
            if let job { return job }
            if isStopped { return nil }
            arrivals.wait()
        }
    }
}
