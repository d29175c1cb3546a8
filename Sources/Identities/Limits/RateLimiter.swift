// SPDX-License-Identifier: Apache-2.0

/// Limits requests by a key, such as an identity or an address, with a token bucket for each.
///
///     var limiter = RateLimiter(try RateLimit("100/1s", burst: 200))
///     let decision = limiter.take("users/7", now: .now)
///     guard decision.isAllowed else { return tooManyRequests(after: decision.secondsUntilAllowed) }
//
// A bucket begins full, with `burst` tokens. A request takes one; `requests` of them come back in each period. A full bucket
// is the same as none, so it is removed.
package struct RateLimiter: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct Bucket {
        var tokens: Double
        var time: Instant
    }

    package let limit: RateLimit
    /// The greatest number of buckets.
    private let capacity: Int
    private var buckets: [String: Bucket] = [:]
    /// The number of buckets at which full ones are searched for.
    private var sweepCount: Int

    private static let firstSweep = 1_024
    /// What sums of fractions of tokens may lack.
    private static let rounding = 1e-9

    package init(_ limit: RateLimit, capacity: Int = 100_000) {
        precondition(capacity > 0, "A limiter needs room for a bucket.")
        self.limit = limit
        self.capacity = capacity
        sweepCount = min(capacity, Self.firstSweep)
    }

    /// The number of keys that it keeps.
    package var count: Int { buckets.count }

    /// Counts a request, if it is allowed.
    package mutating func take(_ key: String, now: Instant) -> RateDecision {
        let key = key.bounded
        var tokens = buckets[key].map { self.tokens(of: $0, now: now) } ?? Double(limit.burst)
        let isAllowed = tokens >= 1 - Self.rounding
        if isAllowed { tokens = max(0, tokens - 1) }
        if buckets[key] == nil, buckets.count >= sweepCount { sweep(now: now) }
        // The time doesn't go back, or tokens would come twice.
        buckets[key] = Bucket(tokens: tokens, time: max(now, buckets[key]?.time ?? now))
        return RateDecision(
            isAllowed: isAllowed,
            secondsUntilAllowed: isAllowed ? nil : seconds(for: 1 - tokens),
            remaining: Int(tokens),
            secondsUntilFull: seconds(for: Double(limit.burst) - tokens),
            limit: limit
        )
    }

    /// What is left for a key, without counting a request.
    package func state(of key: String, now: Instant) -> RateDecision {
        let tokens = buckets[key.bounded].map { self.tokens(of: $0, now: now) } ?? Double(limit.burst)
        return RateDecision(
            isAllowed: true,
            secondsUntilAllowed: nil,
            remaining: Int(tokens),
            secondsUntilFull: seconds(for: Double(limit.burst) - tokens),
            limit: limit
        )
    }

    /// Removes full buckets. `take` does that, too, when there are many.
    package mutating func removeFull(now: Instant) {
        let full = Double(limit.burst)
        buckets = buckets.filter { tokens(of: $0.value, now: now) < full }
    }

    private func tokens(of bucket: Bucket, now: Instant) -> Double {
        let seconds = max(0, (now - bucket.time) / .seconds(1))
        return min(Double(limit.burst), bucket.tokens + seconds * Double(limit.requests) / Double(limit.period))
    }

    /// The whole seconds until a number of tokens has come back.
    private func seconds(for tokens: Double) -> Int {
        Int((tokens * Double(limit.period) / Double(limit.requests)).rounded(.up))
    }

    /// Removes full buckets, and if they are still too many the fullest eighth: those who lose least by it.
    private mutating func sweep(now: Instant) {
        removeFull(now: now)
        if buckets.count >= capacity {
            let fullest = buckets.map { (key: $0.key, tokens: tokens(of: $0.value, now: now)) }
                .sorted { $0.tokens > $1.tokens }
            for (key, _) in fullest.prefix(max(1, capacity / 8)) { buckets[key] = nil }
        }
        sweepCount = min(capacity, max(Self.firstSweep, buckets.count * 2))
    }
}
