// SPDX-License-Identifier: Apache-2.0

// The writing connection and its queue of jobs.

import Basics
import Dispatch
import Glibc
import Synchronization

/// Runs jobs on the writing connection in order of arrival, on the threads that submitted them: one thread at a time
/// leads, and runs the queued jobs together with its own.
//
//    submit() ──▶ queued ─────── runAsLeader() ───────▶ in a group ── WriterGroup.perform() ──▶ finished ──▶ submit() returns
//                  │  ▲ │                                                                   with its result or its error
//                  │  │ └─ appointLeader(): the first of the queue is appointed, wakes and leads ─┐
//                  │  └────────────────────────────────────────────────────────────────────┘
//                  └─ wait(): past its deadline, and not appointed ──▶ withdrawn
//
// Invariants:
// 1. Only the leader uses the connection, and there is a leader, or one is appointed, while a job is queued.
// 2. Jobs are dequeued from the front, and the leader's own job is at the front, so it is in the leader's group. A
//    job that must run alone is alone in its group.
// 3. A job is finished once, by its group; `WriterGroup` defines what that means.
// 4. A job that stops waiting has not been run.
// 5. Only the leader waits for a lock of another process, before it dequeues its group: the other jobs remain in the
//    queue meanwhile, and can withdraw. No job waits for such a lock longer than the timeout, however many precede
//    it.
final class Writer: Sendable {
    private let lease: ConnectionLease
    private let groupLimit: Int
    private let state = Mutex(State())
    private let commits = Atomic(0)

    private struct State {
        var queue = WaitQueue<WriterJob>()
        var leader: WriterJob?
        var thread: pthread_t?
        /// Since when another process is known to hold the write lock.
        var lockedSince: ContinuousClock.Instant?
    }

    init(_ connection: Connection, groupLimit: Int) {
        lease = ConnectionLease(connection: connection)
        self.groupLimit = max(1, groupLimit)
    }

    /// Whether another process held the write lock at the last attempt to acquire it.
    var isLockedByOthers: Bool { state.withLock { $0.lockedSince != nil } }

    /// How many transactions have been committed.
    var commitCount: Int { commits.load(ordering: .relaxed) }

    /// How many jobs are queued.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Runs a job and waits for its result.
    func submit<R: Sendable>(
        _ kind: WriterJob.Kind,
        limit: OperationLimit,
        _ body: @escaping @Sendable (Connection) throws -> R
    ) throws -> R {
        let result = LockedValue<R?>(nil)
        let slot = ThreadSlot.free()
        defer { slot?.take() }
        let job = WriterJob(kind, limit: limit, slot: slot) { result.value = try body($0) }
        let leads = state.withLock { state in
            precondition(
                state.thread != CurrentThread.identifier(),
                "What is written must not itself ask for something to be written."
            )
            state.queue.append(job)
            guard state.leader == nil else { return false }
            state.leader = job
            return true
        }
        if leads {
            runAsLeader(with: job)
        } else {
            try wait(for: job)
        }
        if let error = job.outcome.value?.error { throw error }
        guard let value = result.value else { preconditionFailure("A job that succeeded has a result.") }
        return value
    }

    private func wait(for job: WriterJob) throws {
        if !job.limit.wait(for: job.semaphore) {
            let (isWithdrawn, isLocked) = state.withLock { state in
                (state.leader !== job && state.queue.remove { $0 === job }, state.lockedSince != nil)
            }
            if isWithdrawn { throw job.limit.reason(isLocked ? .lockedByOthers : .noWriterInTime) }
            job.semaphore.wait()
        }
        if job.outcome.value == nil { runAsLeader(with: job) }
    }

    private func runAsLeader(with own: WriterJob) {
        do {
            if own.kind.needsLock { try begin(for: own) }
        } catch {
            own.finish(error)
            state.withLock { _ = $0.queue.popFirst() }
            return appointLeader()
        }
        let jobs = state.withLock { state in
            state.thread = CurrentThread.identifier()
            if own.kind.needsLock { state.lockedSince = nil }
            return dequeueGroup(from: &state.queue)
        }
        let count = WriterGroup(jobs: jobs, connection: lease.connection).perform()
        commits.add(count, ordering: .relaxed)
        appointLeader()
        for job in jobs where job !== own { job.wake() }
    }

    private func dequeueGroup(from queue: inout WaitQueue<WriterJob>) -> [WriterJob] {
        var jobs: [WriterJob] = []
        while jobs.count < groupLimit, let next = queue.first, next.kind == .write || jobs.isEmpty {
            _ = queue.popFirst()
            jobs.append(next)
            if next.kind != .write { break }
        }
        return jobs
    }

    /// Begins the transaction of a leader's group, waiting while another process holds the write lock.
    private func begin(for job: WriterJob) throws {
        let connection = lease.connection
        do throws(SQLiteError) {
            try connection.begin(waiting: .zero)
        } catch {
            guard error.code.primary == .busy else { throw error }
            try waitForLock(with: job)
        }
    }

    private func waitForLock(with job: WriterJob) throws {
        let connection = lease.connection
        let since = state.withLock { state in
            let since = state.lockedSince ?? ContinuousClock.now
            state.lockedSince = since
            return since
        }
        let timeout = max(since, job.arrival) + connection.limits.busyTimeout - ContinuousClock.now
        guard timeout > .zero else { throw SQLiteError.lockedByOthers }
        do {
            try connection.within(deadline: job.limit.waitEnd, cancellation: job.limit.cancellation) {
                try connection.begin(waiting: timeout)
            }
        } catch let error as SQLiteError where error.code.primary == .busy || error.code == .interrupted {
            throw job.limit.reason(.lockedByOthers)
        }
    }

    private func appointLeader() {
        let next = state.withLock { state in
            state.thread = nil
            state.leader = state.queue.first
            return state.leader?.semaphore
        }
        next?.signal()
    }
}
