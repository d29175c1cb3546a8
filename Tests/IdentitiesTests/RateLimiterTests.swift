// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Identities
import SeededRandom
import Testing

@Suite("Limits of requests")
struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test("limits are parsed, and written in the same form")
    func parsing() throws {
        let cases = [
            ("100/1s", 100, 1), ("5000/1m", 5_000, 60), ("10000/1h", 10_000, 3_600), ("1/15m", 1, 900),
            ("7/1d", 7, 86_400),
        ]
        for (text, requests, period) in cases {
            let limit = try RateLimit(text)
            #expect(limit.requests == requests)
            #expect(limit.period == period)
            #expect(limit.burst == requests)
            #expect(try RateLimit(limit.description) == limit)
        }
        #expect(try RateLimit("100/1s").description == "100/1s")
        #expect(try RateLimit("100/60s").description == "100/1m")
        #expect(try RateLimit("100/1s", burst: 200).burst == 200)
    }

    @Test(
        "what isn't a limit is an error with a hint",
        arguments: [
            "", "100", "100/", "/1s", "100/s", "100/1", "100/1 s", "100 /1s", "-1/1s", "+1/1s", "0/1s", "1/0s", "1/2d",
            "1/25h", "1.5/1s", "100/1ms", "100/1s/1", "99999999999/1s", "１/1s", "1/99999999999s", "100 per s",
        ]
    )
    func invalid(text: String) {
        let error = #expect(throws: IdentityError.self) { try RateLimit(text) }
        #expect(error?.code == .invalidLimit)
        #expect(error?.hint == "Write requests per time, such as 100/1s, 5000/1m or 10000/1h.")
    }

    @Test("a burst must have a request")
    func burst() {
        #expect(throws: IdentityError.self) { try RateLimit("1/1s", burst: 0) }
        #expect(throws: IdentityError.self) { try RateLimit("1/1s", burst: -1) }
    }

    @Test("a burst is allowed, then as many as come back")
    func bucket() throws {
        var limiter = RateLimiter(try RateLimit("10/1s", burst: 20))
        for left in (0..<20).reversed() {
            let decision = limiter.take("a", now: start)
            #expect(decision.isAllowed)
            #expect(decision.remaining == left)
            #expect(decision.secondsUntilAllowed == nil)
        }
        let refused = limiter.take("a", now: start)
        #expect(!refused.isAllowed)
        #expect(refused.secondsUntilAllowed == 1)
        #expect(refused.remaining == 0)
        #expect(refused.secondsUntilFull == 2)
        #expect(limiter.take("b", now: start).remaining == 19)
        #expect(limiter.take("a", now: start + .milliseconds(100)).isAllowed)
        #expect(!limiter.take("a", now: start + .milliseconds(100)).isAllowed)
        #expect(limiter.take("a", now: start + .seconds(100)).remaining == 19)
    }

    @Test("seconds until a request is allowed are enough")
    func waiting() throws {
        var limiter = RateLimiter(try RateLimit("2/1h"))
        for _ in 0..<2 { #expect(limiter.take("a", now: start).isAllowed) }
        let seconds = try #require(limiter.take("a", now: start + .seconds(100)).secondsUntilAllowed)
        #expect(seconds == 1_700)
        #expect(!limiter.take("a", now: start + .seconds(1_799)).isAllowed)
        #expect(limiter.take("a", now: start + .seconds(100 + seconds)).isAllowed)
    }

    @Test("a clock of another thread that is behind gives nothing back twice")
    func disorder() throws {
        var limiter = RateLimiter(try RateLimit("1/1s"))
        #expect(limiter.take("a", now: start + .seconds(10)).isAllowed)
        #expect(!limiter.take("a", now: start).isAllowed)
        #expect(!limiter.take("a", now: start + .seconds(10)).isAllowed)
        #expect(limiter.take("a", now: start + .seconds(11)).isAllowed)
    }

    @Test("in any time, no more requests are allowed than a burst and what comes back")
    func bound() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            let requests = Int.random(in: 1...50, using: &random)
            let burst = Int.random(in: 1...100, using: &random)
            var limiter = RateLimiter(try RateLimit("\(requests)/3s", burst: burst))
            var elapsed = Duration.zero
            var allowed = 0
            for _ in 0..<2_000 {
                elapsed += .milliseconds(Int.random(in: 0...30, using: &random))
                if limiter.take("a", now: start + elapsed).isAllowed { allowed += 1 }
                let most = Double(burst) + elapsed / .seconds(3) * Double(requests)
                #expect(Double(allowed) <= most + 0.001)
            }
        }
    }

    @Test("memory is bounded, and emptied buckets outlast full ones")
    func memory() throws {
        var limiter = RateLimiter(try RateLimit("10/1h"), capacity: 100)
        for _ in 0..<10 { _ = limiter.take("attacker", now: start) }
        for number in 0..<10_000 {
            _ = limiter.take("\(number)", now: start)
            #expect(limiter.count <= 100)
        }
        #expect(!limiter.take("attacker", now: start).isAllowed)
        limiter.removeFull(now: start + .seconds(3_700))
        #expect(limiter.count == 0)
    }

    @Test("full buckets go while others come")
    func sweeping() throws {
        var limiter = RateLimiter(try RateLimit("1/1s"))
        for number in 0..<100_000 { _ = limiter.take("\(number)", now: start + .milliseconds(number)) }
        #expect(limiter.count <= 2_100)
    }

    @Test("long keys are kept apart")
    func longKeys() throws {
        var limiter = RateLimiter(try RateLimit("1/1h"))
        let long = String(repeating: "a", count: 100_000)
        #expect(limiter.take(long + "1", now: start).isAllowed)
        #expect(limiter.take(long + "2", now: start).isAllowed)
        #expect(!limiter.take(long + "1", now: start).isAllowed)
    }

    @Test("a decision is told in fields")
    func fields() throws {
        var limiter = RateLimiter(try RateLimit("2/1m"))
        var fields: HeaderFields = [:]
        limiter.take("a", now: start).add(to: &fields)
        #expect(
            fields == ["RateLimit-Policy": "\"default\";q=2;w=60", "RateLimit": "\"default\";r=1;t=30"]
        )
        _ = limiter.take("a", now: start)
        limiter.take("a", now: start).add(to: &fields, policy: "me\"mbé\r\n\\er")
        #expect(
            fields == [
                "RateLimit-Policy": "\"member\";q=2;w=60", "RateLimit": "\"member\";r=0;t=60", "Retry-After": "30",
            ]
        )
    }
}
