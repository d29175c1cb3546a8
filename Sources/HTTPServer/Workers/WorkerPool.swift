// SPDX-License-Identifier: Apache-2.0

// Threads for what may wait: for a disk, or for a slow client.

import Dispatch
import HTTPMessage
import Synchronization

/// A fixed number of threads, and a queue of bounded length before them, in which clients have their turns. A job whose lane is not free
/// is counted as one in the queue and comes to the end of that when it is its turn.
///
/// Jobs that may wait for what others hold and those that don't are two kinds. Each kind has all threads but the spare ones at
/// most, so that jobs of the one are done while all of the other wait; and those that may wait have half of the queue at most. What
/// is bounded for a client, or for jobs that may take long, is so for each kind, so that nobody's own reading waits for their writing.
final class WorkerPool: Sendable {
    struct Job: Sendable {
        /// Whom it is done for, where that is known.
        let client: [UInt8]?
        /// What only one job may have at a time, in this pool and in those that share its lanes.
        let lane: HTTPLane?
        /// Whether it may take long, so that shorter ones go first.
        var isLong = false
        /// Whether it may wait for what others hold.
        var mayBlock = false
        /// Whether it need not be done any more.
        let cancellation: HTTPCancellation
        /// Does it. It may end its turn in its lane before it comes to its own end. What it returns goes on with it, and waits for a
        /// thread in its place.
        let run: @Sendable (LaneTurn?) -> Job?
    }

    /// A job that only needs a thread any more.
    private struct Ready {
        let job: Job
        let turn: LaneTurn?
    }

    private let capacity: Int
    /// So many threads jobs of one kind may have.
    private let threadsPerKind: Int
    /// So many jobs that may block may be there.
    private let blockingCapacity: Int
    /// So many threads of each kind a client may have, and so many of both.
    private let threadsPerClient: Int?
    private let allThreadsPerClient: Int
    /// So many threads of each kind may have jobs that may take long.
    private let threadsForLong: Int
    private let capacityPerClient: Int
    private let blockingCapacityPerClient: Int
    /// So many jobs may wait for one lane.
    private let capacityPerLane: Int
    private let lanes: Lanes
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let endings = DispatchSemaphore(value: 0)

    private struct State {
        var queue = TurnQueue<Ready>()
        /// How many jobs wait for their lanes, and whose.
        var delayed = 0
        var delayedClients: [[UInt8]: Int] = [:]
        var busy = KindCount()
        /// How many threads have jobs that may take long.
        var busyWithLong = KindCount()
        /// How many jobs in the queue may block, and whose they are.
        var blockingQueued = 0
        var blockingQueuedClients: [[UInt8]: Int] = [:]
        /// How many threads each client has, where that is bounded.
        var clients: [[UInt8]: KindCount] = [:]
        /// Threads that wait, and nobody has woken.
        var idle = 0
        var isStopped = false
        var threads: [WorkerThread] = []
    }

    /// A client may have no more threads for each kind than are given here, and then half of the queue. A lane may have half of it, too.
    /// Jobs that may take long have all threads but one of those that a client may have.
    ///
    /// - Parameter spare: How many threads there are besides those that jobs of one kind may have.
    init(
        _ name: String,
        threads count: Int,
        spare: Int = 1,
        perClient threadsPerClient: Int = .max,
        queueLength: Int,
        lanes: Lanes
    ) throws(ServerError) {
        let (count, queueLength) = (max(1, count), max(0, queueLength))
        self.lanes = lanes
        capacity = count + queueLength
        threadsPerKind = count
        blockingCapacity = count + queueLength / 2
        self.threadsPerClient = threadsPerClient < count ? max(1, threadsPerClient) : nil
        allThreadsPerClient = max(1, min(threadsPerClient, count)) + max(0, spare)
        threadsForLong = max(1, min(threadsPerClient, count) - 1)
        capacityPerClient = max(1, min(threadsPerClient, count)) + queueLength / 2
        blockingCapacityPerClient = max(1, min(threadsPerClient, count)) + queueLength / 4
        capacityPerLane = max(1, queueLength / 2)
        for _ in 0..<(count + max(0, spare)) {
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
            return (state.threads, state.idle, remove(from: &state) { _ in true })
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
        state.queue.append(ready, of: ready.job.line, isLong: ready.job.isLong)
        countQueued(1, ready.job, &state)
        guard state.idle > 0, hasThread(mayBlock: ready.job.mayBlock, state) else { return false }
        state.idle -= 1
        return true
    }

    private func dropCancelled() {
        let dropped = state.withLock { remove(from: &$0, where: \.job.cancellation.isCancelled) }
        for ready in dropped { ready.turn?.end() }
        lanes.dropCancelled()
    }

    private func remove(from state: inout State, where condition: (Ready) -> Bool) -> [Ready] {
        let removed = state.queue.removeAll(where: condition)
        for ready in removed { countQueued(-1, ready.job, &state) }
        return removed
    }

    private func isFull(for job: Job, _ state: State) -> Bool {
        if state.busy.all + state.queue.count + state.delayed >= capacity { return true }
        if job.mayBlock, state.busy[mayBlock: true] + state.blockingQueued >= blockingCapacity { return true }
        guard threadsPerClient != nil, let client = job.client else { return false }
        let waiting = state.queue.count(of: client) + state.delayedClients[client, default: 0]
        let threads = state.clients[client, default: KindCount()]
        if threads.all + waiting >= capacityPerClient { return true }
        let blocking = threads[mayBlock: true] + state.blockingQueuedClients[client, default: 0]
        return job.mayBlock && blocking >= blockingCapacityPerClient
    }

    private func countQueued(_ change: Int, _ job: Job, _ state: inout State) {
        guard job.mayBlock else { return }
        state.blockingQueued += change
        count(change, for: job, &state.blockingQueuedClients)
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
        // What a job holds on to, it does no longer than it takes: the thread may be idle for long.
        var finished: Job.Usage?
        while let ready = next(after: finished) {
            let rest = ready.job.run(ready.turn)
            if rest == nil { ready.turn?.end() }
            let (isDropped, wakes) = state.withLock { state in
                countThreads(-1, ready.job, &state)
                guard let rest, !state.isStopped else { return (rest != nil, false) }
                return (false, append(Ready(job: rest, turn: ready.turn), &state))
            }
            if isDropped { ready.turn?.end() }
            if wakes { arrivals.signal() }
            finished = ready.job.usage
        }
        endings.signal()
    }

    private func countThreads(_ change: Int, _ job: Job, _ state: inout State) {
        state.busy[mayBlock: job.mayBlock] += change
        if job.isLong { state.busyWithLong[mayBlock: job.mayBlock] += change }
        guard threadsPerClient != nil, let client = job.client else { return }
        state.clients[client, default: KindCount()][mayBlock: job.mayBlock] += change
        if state.clients[client]?.all == 0 { state.clients[client] = nil }
    }

    /// - Parameter finished: What the job used that the thread has done last. That may let a job begin that none of the idle threads
    ///   could take, unless the next one uses the same.
    private func next(after finished: Job.Usage?) -> Ready? {
        var finished = finished
        while true {
            let (ready, isStopped, wakes) = state.withLock { state -> (Ready?, Bool, Bool) in
                let ready = takeJob(&state)
                if ready == nil, !state.isStopped { state.idle += 1 }
                guard let ready, let finished, state.idle > 0, state.queue.count > 0, finished != ready.job.usage
                else { return (ready, state.isStopped, false) }
                state.idle -= 1
                return (ready, state.isStopped, true)
            }
            if wakes { arrivals.signal() }
            if let ready { return ready }
            if isStopped { return nil }
            finished = nil
            arrivals.wait()
        }
    }

    /// Whether jobs of a kind may have another thread.
    private func hasThread(mayBlock: Bool, _ state: State) -> Bool { state.busy[mayBlock: mayBlock] < threadsPerKind }

    /// The next job in the queue whose kind and whose client may have another thread.
    private func takeJob(_ state: inout State) -> Ready? {
        let (busy, busyWithLong, clients) = (state.busy, state.busyWithLong, state.clients)
        let takesLong = [true, false].contains { busyWithLong[mayBlock: $0] < threadsForLong }
        let ready = state.queue.popFirst(takingLong: takesLong) { ready in
            let (job, mayBlock) = (ready.job, ready.job.mayBlock)
            guard busy[mayBlock: mayBlock] < threadsPerKind else { return false }
            if job.isLong, busyWithLong[mayBlock: mayBlock] >= threadsForLong { return false }
            guard let threadsPerClient, let client = job.client, let threads = clients[client] else { return true }
            return threads[mayBlock: mayBlock] < threadsPerClient && threads.all < allThreadsPerClient
        }
        guard let ready else { return nil }
        countQueued(-1, ready.job, &state)
        countThreads(1, ready.job, &state)
        return ready
    }
}

extension WorkerPool.Job {
    /// What its turns go by; jobs of clients that aren't known have theirs together.
    fileprivate var line: [UInt8] { client ?? [] }

    /// What is bounded for a job: a thread of one kind, of one client, and of one length.
    fileprivate struct Usage: Equatable {
        let client: [UInt8]?
        let isLong: Bool
        let mayBlock: Bool
    }

    fileprivate var usage: Usage { Usage(client: client, isLong: isLong, mayBlock: mayBlock) }
}
