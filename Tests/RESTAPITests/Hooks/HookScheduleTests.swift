// SPDX-License-Identifier: Apache-2.0

// What a hook does next, with time as a parameter.

import FoundationEssentials
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Schedules of hooks")
struct HookScheduleTests {
    struct Unexpected: Error {
        let step: String
    }

    private static let store = UUID()
    private let start = ContinuousClock.now

    private func token(_ number: Int64) -> HistoryToken {
        HistoryToken(positions: [Self.store: HistoryToken.Position(transaction: number)])
    }

    private func delivery(_ number: Int64) -> HookDelivery {
        HookDelivery(id: "d\(number)", time: .now, body: [], token: token(number))
    }

    private func schedule(_ change: (inout HookLimits) -> Void = { _ in }) -> HookSchedule {
        var limits = HookLimits()
        change(&limits)
        return HookSchedule(limits, position: token(0), at: start)
    }

    /// Reads a delivery, as long as there are some.
    private func read(_ schedule: inout HookSchedule, _ number: Int64, at now: HookSchedule.Instant) {
        #expect(schedule.step(at: now) == .read)
        schedule.willRead()
        schedule.didRead(delivery(number), behind: token(number), hasMore: false, at: now)
        #expect(schedule.step(at: now) == .send(delivery(number).with(schedule.delivery)))
    }

    @Test("a delivery is sent once, and its position is written a second later")
    func delivers() {
        var schedule = schedule()
        read(&schedule, 1, at: start)
        schedule.didDeliver(at: start)
        #expect(schedule.step(at: start) == .read)
        schedule.willRead()
        schedule.didRead(nil, behind: token(1), hasMore: false, at: start)
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(1)))
        #expect(schedule.step(at: start + .seconds(1)) == .write(token(1)))
        schedule.didWrite(token(1), at: start + .seconds(1))
        #expect(schedule.step(at: start + .seconds(1)) == .wait(until: start + .seconds(1 + 86_400)))
        schedule.noticeChange()
        #expect(schedule.step(at: start + .seconds(2)) == .read)
    }

    @Test("a position that can't be written is written again a second later, also by a paused hook")
    func failingWrites() {
        var schedule = schedule()
        read(&schedule, 1, at: start)
        schedule.didDeliver(at: start)
        schedule.pause()
        #expect(schedule.step(at: start) == .write(token(1)))
        schedule.writeDidFail(at: start)
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(1)))
        #expect(schedule.step(at: start + .seconds(1)) == .write(token(1)))
        schedule.didWrite(token(1), at: start + .seconds(1))
        #expect(schedule.step(at: start + .seconds(1)) == .wait(until: nil))
    }

    /// 2.
    @Test("the position is written after a hundred deliveries, and rarely if nothing is selected")
    func writes() {
        var schedule = schedule()
        for number in 1...100 as ClosedRange<Int64> {
            read(&schedule, number, at: start)
            schedule.didDeliver(at: start)
        }
        #expect(schedule.step(at: start) == .write(token(100)))
        schedule.didWrite(token(100), at: start)
        schedule.willRead()
        schedule.didRead(nil, behind: token(200), hasMore: false, at: start)
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(60)))
        #expect(schedule.step(at: start + .seconds(60)) == .write(token(200)))
        schedule.writeDidFail(at: start + .seconds(60))
        #expect(schedule.step(at: start + .seconds(60)) == .wait(until: start + .seconds(61)))
        #expect(schedule.unwrittenPosition == token(200))
    }

    /// 1.
    @Test("a failing delivery holds up the later ones, and is tried with growing delays")
    func backsOff() throws {
        var schedule = schedule()
        var now = start
        read(&schedule, 1, at: now)
        var delays: [Duration] = []
        for _ in 1...12 {
            schedule.didFail(at: now, jitter: 1)
            schedule.noticeChange()
            guard case .wait(let next?) = schedule.step(at: now) else { throw Unexpected(step: "it doesn't wait") }
            delays.append(next - now)
            now = next
            guard case .send(let delivery) = schedule.step(at: now) else { throw Unexpected(step: "it doesn't send") }
            #expect(delivery.id == "d1")
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map { .seconds($0) })
        #expect(schedule.failures?.attempts == 12)
        schedule.didDeliver(at: now)
        #expect(schedule.failures == nil)
    }

    @Test("a changed hook reads again at once, and counts the failures of the same delivery")
    func changes() throws {
        var schedule = schedule()
        read(&schedule, 1, at: start)
        schedule.didFail(at: start, jitter: 1)
        var limits = HookLimits()
        limits.attempts = 2
        schedule.use(limits)
        read(&schedule, 1, at: start)
        schedule.didFail(at: start, jitter: 1)
        guard case .giveUp = schedule.step(at: start) else { throw Unexpected(step: "goes on") }
        limits.attempts = 3
        schedule.use(limits)
        read(&schedule, 1, at: start)
        #expect(schedule.position == token(0))
    }

    @Test("half of a delay is random")
    func jitter() {
        let limits = HookLimits()
        #expect(limits.delay(afterFailures: 1, jitter: 0) == .milliseconds(500))
        #expect(limits.delay(afterFailures: 3, jitter: 0.5) == .seconds(3))
        #expect(limits.delay(afterFailures: 1_000_000, jitter: 1) == .seconds(300))
    }

    @Test("a delivery is given up after some attempts, or after some time, and the next one follows")
    func givesUp() throws {
        var counting = schedule { $0.attempts = 2 }
        read(&counting, 1, at: start)
        counting.didFail(at: start, jitter: 0)
        counting.didFail(at: start + .seconds(1), jitter: 0)
        guard case .giveUp(let letter) = counting.step(at: start + .seconds(1)) else {
            throw Unexpected(step: "goes on")
        }
        #expect(letter.id == "d1")
        counting.didGiveUp(at: start + .seconds(1))
        read(&counting, 2, at: start + .seconds(1))
        #expect(counting.failures == nil)

        var aging = schedule { $0.giveUpAfter = .seconds(60) }
        read(&aging, 1, at: start)
        aging.didFail(at: start, jitter: 0)
        aging.didFail(at: start + .seconds(59), jitter: 0)
        if case .giveUp = aging.step(at: start + .seconds(59)) { Issue.record("it gives up early") }
        aging.didFail(at: start + .seconds(60), jitter: 0)
        guard case .giveUp = aging.step(at: start + .seconds(60)) else { throw Unexpected(step: "goes on") }
        // The dead letter can't be kept.
        aging.giveUpDidFail(at: start + .seconds(60))
        #expect(aging.step(at: start + .seconds(60)) == .wait(until: start + .seconds(360)))
        guard case .send = aging.step(at: start + .seconds(360)) else { throw Unexpected(step: "it is lost") }
    }

    @Test("the failures of an earlier run count for the same delivery only")
    func continues() throws {
        var limits = HookLimits()
        limits.attempts = 3
        let failures = HookSchedule.Failures(delivery: "d1", attempts: 2, since: start - .seconds(9))
        var same = HookSchedule(limits, position: token(0), failures: failures, at: start)
        read(&same, 1, at: start)
        same.didFail(at: start, jitter: 0)
        guard case .giveUp = same.step(at: start) else { throw Unexpected(step: "goes on") }
        var other = HookSchedule(limits, position: token(0), failures: failures, at: start)
        read(&other, 2, at: start)
        #expect(other.failures == nil)
    }

    @Test("a paused or disabled hook writes its position, and does nothing until it is resumed")
    func pauses() throws {
        for isPaused in [true, false] {
            var schedule = schedule()
            read(&schedule, 1, at: start)
            schedule.didDeliver(at: start)
            read(&schedule, 2, at: start)
            schedule.didFail(at: start, jitter: 1)
            if isPaused { schedule.pause() } else { schedule.disable() }
            #expect(schedule.step(at: start) == .write(token(1)))
            schedule.didWrite(token(1), at: start)
            schedule.resend(["d0"])
            #expect(schedule.step(at: start + .seconds(9)) == .wait(until: nil))
            schedule.pause()
            #expect(schedule.state == (isPaused ? .paused : .disabled))
            schedule.resume()
            #expect(schedule.failures == nil)
            #expect(schedule.step(at: start) == .resend("d0"))
            schedule.willResend()
            schedule.didResend()
            guard case .send = schedule.step(at: start) else { throw Unexpected(step: "it doesn't go on") }
        }
    }

    /// 2.
    @Test("dead letters that are sent again alternate with deliveries, each once, and wait after failures")
    func resends() throws {
        var schedule = schedule()
        schedule.resend(["a", "b"])
        schedule.resend(["b", "c"])
        for (number, letter) in [(1, "a"), (2, "b"), (3, "c")] as [(Int64, String)] {
            #expect(schedule.step(at: start) == .resend(letter))
            schedule.willResend()
            schedule.didResend()
            read(&schedule, number, at: start)
            schedule.didDeliver(at: start)
        }
        schedule.didWrite(token(3), at: start)
        read(&schedule, 4, at: start)
        schedule.didFail(at: start, jitter: 1)
        schedule.resend(["d", "e"])
        #expect(schedule.step(at: start) == .resend("d"))
        schedule.willResend()
        schedule.resendDidFail(at: start, jitter: 1)
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(1)))
        let later = start + .seconds(1)
        guard case .send = schedule.step(at: later) else { throw Unexpected(step: "the delivery waits") }
        // The next letter needn't wait for a receiver that accepts something.
        schedule.resend(["f"])
        schedule.willResend()
        schedule.resendDidFail(at: later, jitter: 1)
        schedule.didDeliver(at: later)
        #expect(schedule.step(at: later) == .resend("f"))
    }

    @Test("the delays between failing dead letters grow, and a new request ends them")
    func resendDelays() {
        var schedule = schedule()
        schedule.willRead()
        schedule.didRead(nil, behind: token(0), hasMore: false, at: start)
        schedule.resend(["a", "b", "c"])
        var now = start
        for (letter, delay) in [("a", 1), ("b", 2)] {
            #expect(schedule.step(at: now) == .resend(letter))
            schedule.willResend()
            schedule.resendDidFail(at: now, jitter: 1)
            #expect(schedule.step(at: now) == .wait(until: now + .seconds(delay)))
            now += .seconds(delay)
        }
        schedule.willResend()
        schedule.resendDidFail(at: now, jitter: 1)
        schedule.resend(["a"])
        #expect(schedule.step(at: now) == .resend("a"))
        schedule.disable()
        schedule.resume()
        #expect(schedule.step(at: now) == .wait(until: start + .seconds(86_400)))
    }

    @Test("a receiver can ask for a longer delay, up to the maximum")
    func retryAfter() {
        var schedule = schedule()
        read(&schedule, 1, at: start)
        schedule.didFail(at: start, jitter: 1, retryAfter: .seconds(30))
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(30)))
        schedule.didFail(at: start, jitter: 1, retryAfter: .seconds(3_000))
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(300)))
        schedule.didFail(at: start, jitter: 1, retryAfter: .zero)
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(4)))
        for (status, expected) in [(429, 7), (503, 7), (500, nil)] as [(Int, Int?)] {
            let refusal = HookRefusal(.status(status, retryAfter: .seconds(7)))
            #expect(refusal?.retryAfter == expected.map { .seconds($0) })
        }
    }

    @Test("stores that can't be read are tried again with growing delays, or at once when they were replaced")
    func storeFailures() {
        var schedule = schedule()
        schedule.willRead()
        schedule.storeDidFail(at: start, jitter: 1)
        schedule.noticeChange()
        #expect(schedule.step(at: start) == .wait(until: start + .seconds(1)))
        schedule.willRead()
        schedule.storeDidFail(at: start + .seconds(1), jitter: 1)
        #expect(schedule.step(at: start + .seconds(1)) == .wait(until: start + .seconds(3)))
        schedule.storesWereReplaced()
        #expect(schedule.step(at: start + .seconds(1)) == .read)
        schedule.skip(to: token(5), at: start)
        #expect(schedule.step(at: start) == .write(token(5)))
    }
}

extension HookDelivery {
    /// The same delivery if the IDs are.
    fileprivate func with(_ other: HookDelivery?) -> HookDelivery { other?.id == id ? other ?? self : self }
}
