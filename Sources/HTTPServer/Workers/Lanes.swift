// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Synchronization

/// The occupied lanes, with the jobs that wait for them in order of arrival.
///
/// A waiting job occupies no thread, so several pools can share the lanes.
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

    /// The occupied lanes.
    private let lanes = Mutex<[HTTPLane: Queue<Waiting>]>([:])

    /// Begins a job when its turn in the lane comes, possibly at once. Returns false if too many jobs wait for the
    /// lane.
    func enter(_ lane: HTTPLane, with job: WorkerPool.Job, of pool: WorkerPool, limit: Int) -> Bool {
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
        case .begins where !pool.begin(job, turn: LaneTurn(lane, of: self)): leave(lane)
        case .begins, .waits: break
        case .refused: return false
        }
        return true
    }

    /// Drops the cancelled jobs.
    func dropCancelled() {
        let dropped = lanes.withLock { lanes in
            lanes.keys.flatMap { lanes[$0]?.removeAll(where: \.job.cancellation.isCancelled) ?? [] }
        }
        for waiting in dropped { waiting.pool.forget(waiting.job) }
    }

    /// Passes the turn to the next job that can begin.
    fileprivate func leave(_ lane: HTTPLane) {
        while let next = next(of: lane) {
            if next.pool.begin(next.job, turn: LaneTurn(lane, of: self)) { return }
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

/// A job's turn in its lane. Only the first call of `end` has an effect.
final class LaneTurn: Sendable {
    private let lane: HTTPLane
    private let lanes: Lanes
    private let isOver = Atomic(false)

    fileprivate init(_ lane: HTTPLane, of lanes: Lanes) {
        self.lane = lane
        self.lanes = lanes
    }

    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        lanes.leave(lane)
    }
}
