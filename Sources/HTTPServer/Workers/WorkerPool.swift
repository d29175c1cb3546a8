// SPDX-License-Identifier: Apache-2.0

// Threads for what may wait: for a disk, or for a slow client.

import Dispatch
import HTTPMessage
import Synchronization

/// A fixed number of threads, and a queue of bounded length before them. A job whose lane is not free is counted as one in the
/// queue and comes to the end of that when it is its turn.
final class WorkerPool: Sendable {
    struct Job: Sendable {
        /// Whom it is done for, where that is known.
        let client: [UInt8]?
        /// What only one job may have at a time, in this pool and in those that share its lanes.
        let lane: HTTPLane?
        /// Whether it need not be done any more.
        let cancellation: HTTPCancellation
        /// Does it. It may end its turn in its lane before it comes to its own end.
        let run: @Sendable (LaneTurn?) -> Void
    }

    /// A job that only needs a thread any more.
    private struct Ready {
        let job: Job
        let turn: LaneTurn?
    }

    private let capacity: Int
    private let threadsPerClient: Int?
    private let capacityPerClient: Int
    /// So many jobs may wait for one lane.
    private let capacityPerLane: Int
    private let lanes: Lanes
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let endings = DispatchSemaphore(value: 0)

    private struct State {
        var queue = Queue<Ready>()
        /// How many jobs wait for their lanes, and whose.
        var delayed = 0
        var delayedClients: [[UInt8]: Int] = [:]
        var busy = 0
        /// How many threads each client has, where that is bounded.
        var clients: [[UInt8]: Int] = [:]
        /// Threads that wait, and nobody has woken.
        var idle = 0
        var isStopped = false
        var threads: [WorkerThread] = []
    }

    /// A client may have no more threads than are given here, and then half of the queue. A lane may have half of it, too.
    init(
        _ name: String,
        threads count: Int,
        perClient threadsPerClient: Int = .max,
        queueLength: Int,
        lanes: Lanes
    ) throws(ServerError) {
        let (count, queueLength) = (max(1, count), max(0, queueLength))
        self.lanes = lanes
        capacity = count + queueLength
        self.threadsPerClient = threadsPerClient < count ? max(1, threadsPerClient) : nil
        capacityPerClient = max(1, threadsPerClient < count ? threadsPerClient : count) + queueLength / 2
        capacityPerLane = max(1, queueLength / 2)
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

    /// Has a job done as soon as its lane and a thread are free. False where too many wait already, or the end has come.
    func submit(_ job: Job) -> Bool {
        if !admit(job) {
            dropCancelled()
            guard admit(job) else { return false }
        }
        guard let lane = job.lane else { return true }
        if lanes.enter(lane, job, of: self, limit: capacityPerLane) { return true }
        forget(job)
        return false
    }

    /// Has a job that was admitted done as soon as a thread is free. False where there is no need for it any more.
    func begin(_ job: Job, _ turn: LaneTurn) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            delay(-1, for: job, &state)
            guard !state.isStopped, !job.cancellation.isCancelled else { return (false, false) }
            return (true, append(Ready(job: job, turn: turn), &state))
        }
        if wakes { arrivals.signal() }
        return isTaken
    }

    /// Counts a job no longer that was admitted and waits for no lane any more.
    func forget(_ job: Job) { state.withLock { delay(-1, for: job, &$0) } }

    /// Drops what waits, and waits for what runs, though no longer than it is given: threads that go on are let go.
    @discardableResult
    func stop(within limit: Duration) -> Bool {
        let (threads, idle, dropped) = state.withLock { state in
            defer { (state.threads, state.idle) = ([], 0) }
            state.isStopped = true
            return (state.threads, state.idle, state.queue.removeAll { _ in true })
        }
        for ready in dropped { ready.turn?.end() }
        for _ in 0..<idle { arrivals.signal() }
        let deadline = DispatchTime.now() + .nanoseconds(limit.nanoseconds)
        let isOver = threads.allSatisfy { _ in endings.wait(timeout: deadline) == .success }
        for thread in threads {
            if isOver { thread.join() } else { thread.detach() }
        }
        return isOver
    }
}

// MARK: Waiting

extension WorkerPool {
    /// Counts a job where there is room for it. It is in the queue then, unless it has to wait for its lane first.
    private func admit(_ job: Job) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isStopped, !isFull(for: job, state) else { return (false, false) }
            guard job.lane != nil else { return (true, append(Ready(job: job, turn: nil), &state)) }
            delay(1, for: job, &state)
            return (true, false)
        }
        if wakes { arrivals.signal() }
        return isTaken
    }

    /// Whether a thread is to be woken for it.
    private func append(_ ready: Ready, _ state: inout State) -> Bool {
        state.queue.append(ready)
        guard state.idle > 0 else { return false }
        state.idle -= 1
        return true
    }

    private func dropCancelled() {
        let dropped = state.withLock { $0.queue.removeAll(where: \.job.cancellation.isCancelled) }
        for ready in dropped { ready.turn?.end() }
        lanes.dropCancelled()
    }

    private func isFull(for job: Job, _ state: State) -> Bool {
        if state.busy + state.queue.count + state.delayed >= capacity { return true }
        guard threadsPerClient != nil, let client = job.client else { return false }
        let waiting = state.queue.count { $0.job.client == client } + state.delayedClients[client, default: 0]
        return state.clients[client, default: 0] + waiting >= capacityPerClient
    }

    private func delay(_ change: Int, for job: Job, _ state: inout State) {
        state.delayed += change
        count(change, for: job, &state.delayedClients)
    }

    private func count(_ change: Int, for job: Job, _ clients: inout [[UInt8]: Int]) {
        guard threadsPerClient != nil, let client = job.client else { return }
        let count = clients[client, default: 0] + change
        clients[client] = count > 0 ? count : nil
    }
}

// MARK: Working

extension WorkerPool {
    private func work() {
        while let ready = next() {
            ready.job.run(ready.turn)
            ready.turn?.end()
            state.withLock { state in
                state.busy -= 1
                count(-1, for: ready.job, &state.clients)
            }
        }
        endings.signal()
    }

    private func next() -> Ready? {
        while true {
            let (ready, isStopped) = state.withLock { state -> (Ready?, Bool) in
                let ready = takeJob(&state)
                if ready == nil, !state.isStopped { state.idle += 1 }
                return (ready, state.isStopped)
            }
            if let ready { return ready }
            if isStopped { return nil }
            arrivals.wait()
        }
    }

    /// The first job in the queue whose client may have another thread.
    private func takeJob(_ state: inout State) -> Ready? {
        let clients = state.clients
        let ready = state.queue.popFirst { ready in
            guard let threadsPerClient, let client = ready.job.client else { return true }
            return clients[client, default: 0] < threadsPerClient
        }
        guard let ready else { return nil }
        state.busy += 1
        count(1, for: ready.job, &state.clients)
        return ready
    }
}
