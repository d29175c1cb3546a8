// SPDX-License-Identifier: Apache-2.0

// Threads for what may wait: for a disk, or for a slow client.

import Dispatch
import HTTPMessage
import Synchronization

/// A fixed number of threads, and a queue of bounded length before them.
final class WorkerPool: Sendable {
    struct Job: Sendable {
        /// Whom it is done for, where that is known.
        let client: [UInt8]?
        /// Whether it need not be done any more.
        let cancellation: HTTPCancellation
        let run: @Sendable () -> Void
    }

    private let capacity: Int
    private let threadsPerClient: Int?
    private let capacityPerClient: Int
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let endings = DispatchSemaphore(value: 0)

    private struct State {
        var queue = Queue<Job>()
        var busy = 0
        /// How many threads each client has, where that is bounded.
        var clients: [[UInt8]: Int] = [:]
        /// Threads that wait, and nobody has woken.
        var idle = 0
        var isStopped = false
        var threads: [WorkerThread] = []
    }

    /// A client may have no more threads than are given here, and then half of the queue.
    init(
        _ name: String,
        threads count: Int,
        perClient threadsPerClient: Int = .max,
        queueLength: Int
    ) throws(ServerError) {
        let (count, queueLength) = (max(1, count), max(0, queueLength))
        capacity = count + queueLength
        self.threadsPerClient = threadsPerClient < count ? max(1, threadsPerClient) : nil
        capacityPerClient = max(1, threadsPerClient < count ? threadsPerClient : count) + queueLength / 2
        for _ in 0..<count {
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
    func submit(_ job: Job) -> Bool {
        let (isTaken, wakes, _) = state.withLock { state -> (Bool, Bool, [Job]) in
            guard !state.isStopped else { return (false, false, []) }
            var dropped: [Job] = []
            if isFull(for: job, state) {
                dropped = state.queue.removeAll(where: \.cancellation.isCancelled)
                guard !isFull(for: job, state) else { return (false, false, dropped) }
            }
            state.queue.append(job)
            let wakes = state.idle > 0
            if wakes { state.idle -= 1 }
            return (true, wakes, dropped)
        }
        if wakes { arrivals.signal() }
        return isTaken
    }

    /// Drops what waits, and waits for what runs, though no longer than it is given: threads that go on are let go.
    @discardableResult
    func stop(within limit: Duration) -> Bool {
        let (threads, idle, _) = state.withLock { state in
            defer { (state.threads, state.idle, state.queue) = ([], 0, Queue()) }
            state.isStopped = true
            return (state.threads, state.idle, state.queue)
        }
        for _ in 0..<idle { arrivals.signal() }
        let deadline = DispatchTime.now() + .nanoseconds(limit.nanoseconds)
        let isOver = threads.allSatisfy { _ in endings.wait(timeout: deadline) == .success }
        for thread in threads {
            if isOver { thread.join() } else { thread.detach() }
        }
        return isOver
    }

    private func isFull(for job: Job, _ state: State) -> Bool {
        if state.busy + state.queue.count >= capacity { return true }
        guard threadsPerClient != nil, let client = job.client else { return false }
        return state.clients[client, default: 0] + state.queue.count { $0.client == client } >= capacityPerClient
    }

    private func work() {
        while let job = next() {
            job.run()
            state.withLock { state in
                state.busy -= 1
                count(-1, for: job, &state)
            }
        }
        endings.signal()
    }

    private func next() -> Job? {
        while true {
            let (job, isStopped) = state.withLock { state -> (Job?, Bool) in
                let job = takeJob(&state)
                if job == nil, !state.isStopped { state.idle += 1 }
                return (job, state.isStopped)
            }
            if let job { return job }
            if isStopped { return nil }
            arrivals.wait()
        }
    }

    /// The first job in the queue whose client may have another thread.
    private func takeJob(_ state: inout State) -> Job? {
        let clients = state.clients
        let job = state.queue.popFirst { job in
            guard let threadsPerClient, let client = job.client else { return true }
            return clients[client, default: 0] < threadsPerClient
        }
        guard let job else { return nil }
        state.busy += 1
        count(1, for: job, &state)
        return job
    }

    private func count(_ change: Int, for job: Job, _ state: inout State) {
        guard threadsPerClient != nil, let client = job.client else { return }
        let count = state.clients[client, default: 0] + change
        state.clients[client] = count > 0 ? count : nil
    }
}
