// SPDX-License-Identifier: Apache-2.0

// Who may be worked on, where only one may at a time.

import HTTPMessage
import Synchronization

/// The lanes of which some job has its turn, and the jobs that wait for theirs, in the order in which they came. They hold no
/// threads, and none looks at them before it is their turn.
///
/// Threads wait for no lane, so that pools can share them.
final class Lanes: Sendable {
    private struct Waiting {
        let job: WorkerPool.Job
        let pool: WorkerPool
    }

    private enum Entrance {
        case begins
        case waits
        case refused
    }

    /// A lane is here as long as somebody has its turn.
    private let lanes = Mutex<[HTTPLane: Queue<Waiting>]>([:])

    /// Has a job begin when it is its turn in its lane, which may be at once. False where as many wait for it as may.
    func enter(_ lane: HTTPLane, _ job: WorkerPool.Job, of pool: WorkerPool, limit: Int) -> Bool {
        let (entrance, dropped) = lanes.withLock { lanes -> (Entrance, [Waiting]) in
            guard let count = lanes[lane]?.count else {
                lanes[lane] = Queue()
                return (.begins, [])
            }
            var dropped: [Waiting] = []
            if count >= limit { dropped = lanes[lane]?.removeAll(where: \.job.cancellation.isCancelled) ?? [] }
            guard count - dropped.count < limit else { return (.refused, dropped) }
            lanes[lane]?.append(Waiting(job: job, pool: pool))
            return (.waits, dropped)
        }
        for waiting in dropped { waiting.pool.forget(waiting.job) }
        switch entrance {
        case .begins where !pool.begin(job, LaneTurn(lane, of: self)): leave(lane)
        case .begins, .waits: break
        case .refused: return false
        }
        return true
    }

    /// Lets go of the jobs that need not be done any more.
    func dropCancelled() {
        let dropped = lanes.withLock { lanes in
            lanes.keys.flatMap { lanes[$0]?.removeAll(where: \.job.cancellation.isCancelled) ?? [] }
        }
        for waiting in dropped { waiting.pool.forget(waiting.job) }
    }

    /// Gives the turn to the next who makes use of it.
    fileprivate func leave(_ lane: HTTPLane) {
        while let next = next(of: lane) {
            if next.pool.begin(next.job, LaneTurn(lane, of: self)) { return }
        }
    }

    private func next(of lane: HTTPLane) -> Waiting? {
        lanes.withLock { lanes in
            if let next = lanes[lane]?.popFirst() { return next }
            lanes[lane] = nil
            return nil
        }
    }
}

/// A job's turn in its lane, which is ended once, by whoever comes first to it.
final class LaneTurn: Sendable {
    private let lane: HTTPLane
    private let lanes: Lanes
    private let isOver = Atomic(false)

    fileprivate init(_ lane: HTTPLane, of lanes: Lanes) {
        (self.lane, self.lanes) = (lane, lanes)
    }

    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        lanes.leave(lane)
    }
}
