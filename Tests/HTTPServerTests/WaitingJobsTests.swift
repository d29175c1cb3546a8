// SPDX-License-Identifier: Apache-2.0

// Jobs that free their threads' slots while they wait.

import Basics
import Glibc
import HTTPMessage
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Jobs that wait without a slot")
struct WaitingJobsTests {
    private func job(
        of client: UInt8? = nil,
        mayBlock: Bool = true,
        _ work: @escaping @Sendable () -> Void
    ) -> WorkerPool.Job {
        WorkerPool.Job(
            client: client.map { [$0] },
            lane: nil,
            mayBlock: mayBlock,
            cancellation: HTTPCancellation()
        ) { _ in
            work()
            return nil
        }
    }

    private func pool(threads: Int, perClient: Int = .max, waitingLimit: Int = 64) throws -> WorkerPool {
        try WorkerPool(
            "test",
            threads: threads,
            spare: 0,
            perClient: perClient,
            queueLength: 100,
            waitingLimit: waitingLimit,
            lanes: Lanes()
        )
    }

    @Test("other jobs run meanwhile, until as many wait as may")
    func limit() throws {
        let gate = Gate()
        let pool = try pool(threads: 2, waitingLimit: 10)
        defer { pool.stop(within: .seconds(5)) }
        for _ in 0..<13 { #expect(pool.submit(job { ThreadSlot.freed { gate.pass() } })) }
        // Ten wait without a slot, two with theirs.
        #expect(eventually { gate.arrivals == 12 })
        usleep(50_000)
        #expect(gate.arrivals == 12)
        gate.open(for: 13)
        #expect(eventually { gate.arrivals == 13 })
    }

    @Test("those that have waited go on at once, and others begin when slots are free")
    func goingOn() throws {
        let (waiting, running, done) = (Gate(), Gate(), Count())
        let pool = try pool(threads: 1)
        defer { pool.stop(within: .seconds(5)) }
        for _ in 0..<5 {
            let isTaken = pool.submit(
                job {
                    ThreadSlot.freed { waiting.pass() }
                    running.pass()
                }
            )
            #expect(isTaken)
        }
        #expect(eventually { waiting.arrivals == 5 })
        waiting.open(for: 5)
        #expect(eventually { running.arrivals == 5 })
        #expect(pool.submit(job { done.add(1) }))
        running.open(for: 4)
        usleep(50_000)
        #expect(done.value == 0)
        running.open()
        #expect(eventually { done.value == 1 })
    }

    @Test("they count against the limits of the queue, but not against a client's threads")
    func limits() throws {
        let (gate, done) = (Gate(), Count())
        let pool = try pool(threads: 3, perClient: 1)
        defer { pool.stop(within: .seconds(5)) }
        var taken = 0
        while pool.submit(job(of: 1, mayBlock: false) { ThreadSlot.freed { gate.pass() } }) { taken += 1 }
        // One thread and half of the queue.
        #expect(taken == 51)
        #expect(eventually { gate.arrivals == 51 })
        #expect(pool.submit(job(of: 2) { done.add(1) }))
        #expect(eventually { done.value == 1 })
        gate.open(for: 51)
        #expect(eventually { pool.submit(job(of: 1) { done.add(1) }) })
        #expect(eventually { done.value == 2 })
    }

    @Test("on other threads nothing changes, and errors are passed on")
    func outside() throws {
        struct Failure: Error {}
        #expect(ThreadSlot.freed { 7 } == 7)
        #expect(throws: Failure.self) { try ThreadSlot.freed { throw Failure() } }
        let (pool, failed) = (try pool(threads: 1), Count())
        defer { pool.stop(within: .seconds(5)) }
        for _ in 0..<3 {
            #expect(pool.submit(job { do { try ThreadSlot.freed { throw Failure() } } catch { failed.add(1) } }))
        }
        #expect(eventually { failed.value == 3 })
    }

    @Test(
        "no job is left over, however many wait and in whatever order they go on",
        arguments: SeededGenerator.seeds(20)
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pool = try pool(
            threads: Int.random(in: 1...4, using: &generator),
            perClient: Int.random(in: 1...4, using: &generator),
            waitingLimit: Int.random(in: 0...20, using: &generator)
        )
        let (running, done) = (Count(), Count())
        var taken = 0
        for _ in 0..<400 {
            let waits = Int.random(in: 0..<3, using: &generator)
            let job = job(
                of: [nil, 1, 2].randomElement(using: &generator) ?? nil,
                mayBlock: Bool.random(using: &generator)
            ) {
                running.add(1)
                for _ in 0..<waits { ThreadSlot.freed { yieldBriefly() } }
                running.add(-1)
                done.add(1)
            }
            if pool.submit(job) { taken += 1 }
            if taken % 7 == 0 { yieldBriefly() }
        }
        #expect(taken > 50)
        #expect(eventually { done.value == taken })
        #expect(running.value == 0)
        #expect(pool.stop(within: .seconds(5)))
    }
}

/// Lets other threads run for a moment.
private func yieldBriefly() { usleep(1_000) }

extension ThreadSlot {
    /// Runs a closure that waits.
    fileprivate static func freed<Result>(_ body: () throws -> Result) rethrows -> Result {
        let slot = free()
        defer { slot?.take() }
        return try body()
    }
}
