// SPDX-License-Identifier: Apache-2.0

import Basics
import Glibc
import Testing

@testable import RESTAPI

@Suite("Turns of requests on event loops")
struct LoopTurnTests {
    private static let start = ContinuousClock.now

    /// The turn's state after some milliseconds of which the thread ran some.
    private func isOver(_ turn: inout LoopTurn, after time: Int, ran: Int, waits: Int = 0) -> Bool {
        turn.isOver(at: Self.start + .milliseconds(time)) {
            ThreadUsage(processorTime: .milliseconds(ran), waits: waits)
        }
    }

    private func turn() -> LoopTurn {
        LoopTurn(.milliseconds(2), since: Self.start, ThreadUsage(processorTime: .zero, waits: 0))
    }

    @Test("a turn ends when the loop has run for its time")
    func running() {
        var turn = turn()
        #expect(!isOver(&turn, after: 1, ran: 1))
        #expect(isOver(&turn, after: 2, ran: 2))
    }

    @Test("time in which the system runs others doesn't count, up to a limit")
    func preempted() {
        var turn = turn()
        #expect(!isOver(&turn, after: 3, ran: 1))
        #expect(!isOver(&turn, after: 5, ran: 1))
        #expect(isOver(&turn, after: 6, ran: 2))
        var starved = self.turn()
        #expect(!isOver(&starved, after: 7, ran: 1))
        #expect(isOver(&starved, after: 8, ran: 1))
    }

    @Test("a turn is over at its end, however little the loop had run when its usage was looked at")
    func end() {
        var turn = turn()
        #expect(!isOver(&turn, after: 7, ran: 0))
        #expect(turn.end == Self.start + .milliseconds(8))
        #expect(isOver(&turn, after: 8, ran: 0))
    }

    @Test("time in which the loop waits counts")
    func waiting() {
        var turn = turn()
        #expect(!isOver(&turn, after: 1, ran: 0, waits: 1))
        #expect(isOver(&turn, after: 2, ran: 0, waits: 1))
    }

    @Test("a thread's usage grows with its work and its waiting")
    func usage() throws {
        let before = ThreadUsage.current()
        let end = ContinuousClock.now + .seconds(60)
        while ThreadUsage.current().processorTime < before.processorTime + .milliseconds(1) {
            try #require(ContinuousClock.now < end)
        }
        usleep(1_000)
        let after = ThreadUsage.current()
        #expect(after.processorTime > before.processorTime && after.waits > before.waits)
    }
}
