// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the number of requests in flight.
final class RequestLimiter: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var inFlightCount: Int { count.load(ordering: .relaxed) }

    /// Returns a permit for a request that waits for a worker, or nil if none is left.
    func acquire(since: Moment) -> RequestPermit? {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            release()
            return nil
        }
        return RequestPermit(limiter: self, since: since)
    }

    fileprivate func release() { count.subtract(1, ordering: .relaxed) }
}

/// A permit that is returned on release. Its request is either started by a worker or given up, never both.
final class RequestPermit: Sendable {
    private let limiter: RequestLimiter
    /// The time since which the request waits, or 0.
    private let since: Atomic<Int>

    fileprivate init(limiter: RequestLimiter, since: Moment) {
        self.limiter = limiter
        self.since = Atomic(since.nanoseconds)
    }

    deinit { limiter.release() }

    var waitingSince: Moment? { Self.moment(since.load(ordering: .relaxed)) }

    /// Records that the request waits for another worker.
    func wait() { since.store(Moment.now.nanoseconds, ordering: .relaxed) }

    /// Ends the waiting because the request is started or given up. Returns the time since which it waited, or nil if
    /// it didn't.
    func stopWaiting() -> Moment? { Self.moment(since.exchange(0, ordering: .relaxed)) }

    private static func moment(_ since: Int) -> Moment? { since > 0 ? Moment(nanoseconds: since) : nil }
}
