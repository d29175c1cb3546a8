// SPDX-License-Identifier: Apache-2.0

import Basics
import Dispatch
import HTTPMessage
import Synchronization

/// A fixed number of running threads for jobs that may block, with a bounded queue in which clients take turns. A job that
/// waits for its lane counts as queued, and is appended to the queue when its turn comes.
///
/// There are two kinds of jobs: those that may wait for locks, and others. Neither kind may use the spare threads' share,
/// so that one kind runs while the other waits; jobs that may block have at most half of the queue. The
/// limits for clients and for long jobs apply to each kind, so that a client's reading doesn't wait for its writing.
///
/// A thread whose job waits for a commit frees its slot (`ThreadSlot`): another thread runs the next job meanwhile, so that
/// as many changes as come share a commit. The job still counts against the limits of the queue. When its wait is over it
/// goes on at once, even if more threads run for a moment than there are slots.
final class WorkerPool: Sendable {
    struct Job: Sendable {
        /// The client that the job belongs to, or nil.
        let client: [UInt8]?
        /// The lane that the job occupies exclusively, in all pools that share the lanes.
        let lane: HTTPLane?
        /// Whether the job may take long, so that shorter ones go first.
        var isLong = false
        /// Whether the job may wait for locks held by others.
        var mayBlock = false
        /// The job is dropped if this is cancelled before it begins.
        let cancellation: HTTPCancellation
        /// Runs the job. It may end its turn in the lane early. The job that it returns continues it, and is queued in its place.
        let run: @Sendable (LaneTurn?) -> Job?
    }

    /// A job that waits only for a thread.
    private struct Ready {
        let job: Job
        let turn: LaneTurn?
    }

    /// A thread's place for its job, which another thread may choose while it waits.
    private final class Worker: Sendable {
        let ready = Mutex<Ready?>(nil)
        private let wakes = DispatchSemaphore(value: 0)

        var job: Job? { ready.withLock { $0?.job } }

        /// Ends the waiting; without a job, also the thread.
        func wake(for next: Ready?) {
            ready.withLock { $0 = next }
            wakes.signal()
        }

        func wait() -> Ready? {
            wakes.wait()
            return ready.withLock(\.self)
        }
    }

    private enum Step {
        case run(Ready)
        case wait
        case stop
    }

    private let name: String
    private let capacity: Int
    /// The maximum number of threads for jobs of one kind.
    private let threadsPerKind: Int
    /// The maximum number of threads that run at the same time, apart from those that have just waited.
    private let slots: Int
    /// The maximum number of threads that wait without a slot.
    private let waitingLimit: Int
    /// The maximum number of running and queued jobs that may block.
    private let blockingCapacity: Int
    /// The maximum number of threads of each kind for a client, and of both kinds together.
    private let threadsPerClient: Int?
    private let allThreadsPerClient: Int
    /// The maximum number of threads of each kind for long jobs.
    private let threadsForLong: Int
    private let capacityPerClient: Int
    private let blockingCapacityPerClient: Int
    /// The maximum number of jobs that wait for a lane.
    private let capacityPerLane: Int
    private let lanes: Lanes
    private let state = Mutex(State())
    private let endings = DispatchSemaphore(value: 0)

    private struct State {
        var queue = TurnQueue<Ready>()
        /// The number of jobs that wait for lanes, in total and per client.
        var delayed = 0
        var delayedClients: [[UInt8]: Int] = [:]
        /// The threads that have jobs.
        var busy = ThreadCount()
        /// Those of them that wait without a slot.
        var waiting = ThreadCount()
        /// The number of threads that run long jobs.
        var busyWithLong = JobCount()
        /// The number of queued jobs that may block, in total and per client.
        var blockingQueued = 0
        var blockingQueuedClients: [[UInt8]: Int] = [:]
        /// The threads that wait for jobs. The last one is the next to get one, since its memory is most likely cached.
        var idle: [Worker] = []
        var isStopped = false
        var threads: [WorkerThread] = []

        /// The numbers of threads with slots.
        var running: JobCount { busy.all - waiting.all }
    }

    /// How a thread is to be found for a queued job.
    private enum Supply {
        case none
        /// An idle thread runs the job, which is dequeued.
        case wakes(Worker, Ready)
        case starts
    }

    /// Creates the threads. A client may use at most `threadsPerClient` of each kind and half of the queue; a lane may
    /// use half of the queue too. Long jobs may use all but one of a client's threads.
    ///
    /// - Parameters:
    ///   - spare: The number of threads beyond those that one kind may use.
    ///   - waitingLimit: The number of threads that may wait without a slot. As many more threads are started when needed.
    init(
        _ name: String,
        threads count: Int,
        spare: Int = 1,
        perClient threadsPerClient: Int = .max,
        queueLength: Int,
        waitingLimit: Int = 64,
        lanes: Lanes
    ) throws(ServerError) {
        self.name = name
        self.waitingLimit = waitingLimit
        let count = max(1, count)
        let queueLength = max(0, queueLength)
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
        slots = count + max(0, spare)
        for _ in 0..<slots {
            do throws(ServerError) {
                try startThread()
            } catch {
                stop(within: .seconds(1))
                throw error
            }
        }
    }

    /// Runs a job as soon as its lane and a thread are free. Returns false if too many wait, or the pool is stopped.
    func submit(_ job: Job) -> Bool {
        if !admit(job) {
            dropCancelled()
            guard admit(job) else { return false }
        }
        guard let lane = job.lane else { return true }
        if lanes.enter(lane, with: job, of: self, limit: capacityPerLane) { return true }
        forget(job)
        return false
    }

    /// Queues an admitted job that has its turn in its lane. Returns false if the job is cancelled or the pool is
    /// stopped.
    func begin(_ job: Job, turn: LaneTurn) -> Bool {
        let (isTaken, supply) = state.withLock { state -> (Bool, Supply) in
            delay(-1, for: job, &state)
            guard !state.isStopped, !job.cancellation.isCancelled else { return (false, .none) }
            return (true, append(Ready(job: job, turn: turn), &state))
        }
        provide(supply)
        return isTaken
    }

    /// Ends the counting of an admitted job that no longer waits for a lane.
    func forget(_ job: Job) { state.withLock { delay(-1, for: job, &$0) } }

    /// Drops the queued jobs and waits for the running ones up to a time limit, after which their threads are detached.
    @discardableResult
    func stop(within limit: Duration) -> Bool {
        let (threads, idle, dropped) = state.withLock { state in
            defer {
                state.threads = []
                state.idle = []
            }
            state.isStopped = true
            return (state.threads, state.idle, remove(from: &state) { _ in true })
        }
        for ready in dropped { ready.turn?.end() }
        for worker in idle { worker.wake(for: nil) }
        let deadline = DispatchTime.now() + .nanoseconds(limit.nanoseconds)
        let isOver = threads.allSatisfy { _ in endings.wait(timeout: deadline) == .success }
        for thread in threads {
            if isOver { thread.join() } else { thread.detach() }
        }
        return isOver
    }
}

// MARK: - Queue

extension WorkerPool {
    /// Counts a job if there is capacity, and queues it unless it must wait for its lane.
    private func admit(_ job: Job) -> Bool {
        let (isTaken, supply) = state.withLock { state -> (Bool, Supply) in
            guard !state.isStopped, !isFull(for: job, state) else { return (false, .none) }
            guard job.lane != nil else { return (true, append(Ready(job: job, turn: nil), &state)) }
            delay(1, for: job, &state)
            return (true, .none)
        }
        provide(supply)
        return isTaken
    }

    /// Queues a job. Returns how it gets a thread.
    private func append(_ ready: Ready, _ state: inout State) -> Supply {
        enqueue(ready, &state)
        return hasSlot(mayBlock: ready.job.mayBlock, state) ? findSupply(&state) : .none
    }

    private func enqueue(_ ready: Ready, _ state: inout State) {
        state.queue.append(ready, of: ready.job.line, isLong: ready.job.isLong)
        countQueued(1, ready.job, &state)
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
        if state.busy.all.all + state.queue.count + state.delayed >= capacity { return true }
        if job.mayBlock, state.busy.all[mayBlock: true] + state.blockingQueued >= blockingCapacity { return true }
        guard threadsPerClient != nil, let client = job.client else { return false }
        let waiting = state.queue.count(of: client) + state.delayedClients[client, default: 0]
        let threads = state.busy[client]
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

// MARK: - Threads

extension WorkerPool {
    private func startThread() throws(ServerError) {
        try state.withLock { state throws(ServerError) in
            guard !state.isStopped else { return }
            state.threads.append(try WorkerThread(name) { [self] in work() })
        }
    }

    /// An idle thread for the next queued job within the limits, or a new one while others wait without a slot.
    private func findSupply(_ state: inout State) -> Supply {
        guard state.queue.count > 0, !state.isStopped else { return .none }
        guard let worker = state.idle.last else {
            let mayStart = state.running.all < slots && state.threads.count < slots + state.waiting.all.all
            return mayStart ? .starts : .none
        }
        guard let ready = dequeueJob(&state) else { return .none }
        state.idle.removeLast()
        return .wakes(worker, ready)
    }

    private func provide(_ supply: Supply) {
        switch supply {
        case .none: break
        case .wakes(let worker, let ready): worker.wake(for: ready)
        // Without another thread, the job is run when one is free again.
        case .starts: try? startThread()
        }
    }

    private func work() {
        let worker = Worker()
        let slot = ThreadSlot { [self] in
            worker.job.map(freeSlot) ?? false
        } take: { [self] in
            if let job = worker.job { takeSlot(job) }
        }
        var step = nextStep(of: worker)
        while true {
            switch step {
            case .run(let ready): step = run(ready, on: worker, slot)
            case .wait: step = worker.wait().map { .run($0) } ?? .stop
            case .stop: return _ = endings.signal()
            }
        }
    }

    private func run(_ ready: Ready, on worker: Worker, _ slot: ThreadSlot) -> Step {
        var rest: Job?
        slot.occupied { rest = ready.job.run(ready.turn) }
        if rest == nil { ready.turn?.end() }
        return nextStep(of: worker, after: ready, continuedBy: rest)
    }

    private func freeSlot(_ job: Job) -> Bool {
        let (isFree, supply) = state.withLock { state -> (Bool, Supply) in
            guard state.waiting.all.all < waitingLimit else { return (false, .none) }
            state.waiting.add(1, job, limitsClients: threadsPerClient != nil)
            return (true, findSupply(&state))
        }
        provide(supply)
        return isFree
    }

    private func takeSlot(_ job: Job) {
        state.withLock { $0.waiting.add(-1, job, limitsClients: threadsPerClient != nil) }
    }

    private func countThreads(_ change: Int, _ job: Job, _ state: inout State) {
        state.busy.add(change, job, limitsClients: threadsPerClient != nil)
        if job.isLong { state.busyWithLong[mayBlock: job.mayBlock] += change }
    }

    /// Ends a thread's job and chooses the next one. If the finished job has released resources that this one doesn't use,
    /// an idle thread gets another.
    ///
    /// - Parameter rest: The job that continues the finished one, and is queued in its place.
    private func nextStep(of worker: Worker, after finished: Ready? = nil, continuedBy rest: Job? = nil) -> Step {
        let (step, supply, isDropped) = state.withLock { state -> (Step, Supply, Bool) in
            if let finished { countThreads(-1, finished.job, &state) }
            let isDropped = rest != nil && state.isStopped
            if let rest, !isDropped { enqueue(Ready(job: rest, turn: finished?.turn), &state) }
            let next = dequeueJob(&state)
            worker.ready.withLock { $0 = next }
            guard let next else {
                if !state.isStopped { state.idle.append(worker) }
                return (state.isStopped ? .stop : .wait, .none, isDropped)
            }
            let mayLeave = rest != nil || finished.map { $0.job.usage != next.job.usage } ?? false
            return (.run(next), mayLeave ? findSupply(&state) : .none, isDropped)
        }
        if isDropped { finished?.turn?.end() }
        provide(supply)
        return step
    }

    /// Whether jobs of a kind may use another thread.
    private func hasSlot(mayBlock: Bool, _ state: State) -> Bool {
        let running = state.running
        return running.all < slots && running[mayBlock: mayBlock] < threadsPerKind
    }

    /// The next queued job within the limits on threads.
    private func dequeueJob(_ state: inout State) -> Ready? {
        let running = state.running
        guard running.all < slots else { return nil }
        let busyWithLong = state.busyWithLong
        let (busy, waiting) = (state.busy, state.waiting)
        let takesLong =
            busyWithLong[mayBlock: true] < threadsForLong || busyWithLong[mayBlock: false] < threadsForLong
        let ready = state.queue.popFirst(includingLong: takesLong) { ready in
            let job = ready.job
            let mayBlock = ready.job.mayBlock
            guard running[mayBlock: mayBlock] < threadsPerKind else { return false }
            if job.isLong, busyWithLong[mayBlock: mayBlock] >= threadsForLong { return false }
            guard let threadsPerClient, let client = job.client else { return true }
            let threads = busy[client] - waiting[client]
            return threads[mayBlock: mayBlock] < threadsPerClient && threads.all < allThreadsPerClient
        }
        guard let ready else { return nil }
        countQueued(-1, ready.job, &state)
        countThreads(1, ready.job, &state)
        return ready
    }
}

extension WorkerPool.Job {
    /// The key of the job's turns; jobs of unknown clients share one.
    fileprivate var line: [UInt8] { client ?? [] }

    /// The limited resources that a job uses: a thread for its kind, client and length.
    fileprivate struct Usage: Equatable {
        let client: [UInt8]?
        let isLong: Bool
        let mayBlock: Bool
    }

    fileprivate var usage: Usage { Usage(client: client, isLong: isLong, mayBlock: mayBlock) }
}
