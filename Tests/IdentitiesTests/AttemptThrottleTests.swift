// SPDX-License-Identifier: Apache-2.0

import Identities
import Testing

@Suite("Failed sign-ins")
struct AttemptThrottleTests {
    private let start = ContinuousClock.now

    @Test("after five failures the waits double, up to 15 minutes")
    func doubling() {
        var throttle = AttemptThrottle()
        var time = start
        for _ in 0..<5 { #expect(throttle.attempt(account: "ann", address: "1", now: time) == nil) }
        for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900] {
            #expect(throttle.attempt(account: "ann", address: "1", now: time) == wait)
            time += .seconds(wait) - .milliseconds(1)
            #expect(throttle.attempt(account: "ann", address: "1", now: time) == 1)
            time += .milliseconds(1)
            #expect(throttle.attempt(account: "ann", address: "1", now: time) == nil)
        }
    }

    @Test("an account is slowed down from all addresses, and an address for all accounts")
    func scopes() {
        var throttle = AttemptThrottle()
        for number in 0..<5 { #expect(throttle.attempt(account: "ann", address: "\(number)", now: start) == nil) }
        #expect(throttle.attempt(account: "ann", address: "new", now: start) == 1)
        #expect(throttle.attempt(account: "ben", address: "new", now: start) == nil)
        for number in 0..<5 { #expect(throttle.attempt(account: "\(number)", address: "9", now: start) == nil) }
        #expect(throttle.attempt(account: "new", address: "9", now: start) == 1)
        #expect(throttle.attempt(account: "new", address: "8", now: start) == nil)
    }

    @Test("attempts that have to wait don't make it longer")
    func waiting() {
        var throttle = AttemptThrottle()
        for _ in 0..<5 { _ = throttle.attempt(account: "ann", address: "1", now: start) }
        for _ in 0..<100 { #expect(throttle.attempt(account: "ann", address: "1", now: start) == 1) }
        #expect(throttle.attempt(account: "ann", address: "1", now: start + .seconds(1)) == nil)
    }

    @Test("a success frees the account, and takes back one attempt of the address")
    func success() {
        var throttle = AttemptThrottle()
        for _ in 0..<4 { _ = throttle.attempt(account: "ann", address: "1", now: start) }
        // The attacker's own account.
        #expect(throttle.attempt(account: "eve", address: "1", now: start) == nil)
        throttle.succeeded(account: "eve", address: "1")
        #expect(throttle.attempt(account: "ann", address: "1", now: start) == nil)
        #expect(throttle.attempt(account: "ben", address: "1", now: start) == 1)
        throttle.succeeded(account: "ann", address: "2")
        #expect(throttle.attempt(account: "ann", address: "2", now: start) == nil)
    }

    @Test("an address whose attempts all succeed isn't slowed down")
    func onlySuccesses() {
        var throttle = AttemptThrottle()
        for number in 0..<1_000 {
            #expect(throttle.attempt(account: "\(number)", address: "1", now: start) == nil)
            throttle.succeeded(account: "\(number)", address: "1")
        }
        #expect(throttle.count == 0)
    }

    @Test("failures are forgotten after an hour")
    func forgetting() {
        var throttle = AttemptThrottle()
        for _ in 0..<5 { _ = throttle.attempt(account: "ann", address: "1", now: start) }
        for _ in 0..<5 {
            #expect(throttle.attempt(account: "ann", address: "1", now: start + .seconds(3_600)) == nil)
        }
        #expect(throttle.attempt(account: "ann", address: "1", now: start + .seconds(3_600)) == 1)
    }

    @Test("memory is bounded, and those with many failures stay")
    func memory() {
        var throttle = AttemptThrottle(capacity: 100)
        for _ in 0..<5 { _ = throttle.attempt(account: "ann", address: "1", now: start) }
        for number in 0..<10_000 {
            _ = throttle.attempt(account: "a\(number)", address: "b\(number)", now: start + .milliseconds(number / 20))
            #expect(throttle.count <= 200)
        }
        #expect(throttle.attempt(account: "ann", address: "2", now: start + .milliseconds(600)) == 1)
        let long = String(repeating: "a", count: 100_000)
        #expect(throttle.attempt(account: long, address: long, now: start) == nil)
    }
}
