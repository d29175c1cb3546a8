// SPDX-License-Identifier: Apache-2.0

// Many jobs of few lanes.

import HTTPMessage
import Synchronization
import Testing

@testable import HTTPServer

@Suite("Worker pools")
struct WorkerPoolTests {
    private final class Log: Sendable {
        private let lists = Mutex<[Int: [Int]]>([:])

        func note(_ number: Int, in lane: Int) { lists.withLock { $0[lane, default: []].append(number) } }
        var all: [Int: [Int]] { lists.withLock { $0 } }
        var count: Int { lists.withLock { $0.values.reduce(0) { $0 + $1.count } } }
    }

    private func job(
        in lane: Int,
        _ cancellation: HTTPCancellation = HTTPCancellation(),
        _ work: @escaping @Sendable (LaneTurn?) -> Void
    ) -> WorkerPool.Job {
        WorkerPool.Job(client: nil, lane: HTTPLane("\(lane)"), cancellation: cancellation) { turn in
            work(turn)
            return nil
        }
    }

    @Test("pools that share lanes run the jobs of a lane in order, even ten thousand of them")
    func order() throws {
        let lanes = Lanes()
        let pools = try (0..<2).map { _ in try WorkerPool("test", threads: 3, queueLength: 20_000, lanes: lanes) }
        defer { for pool in pools { pool.stop(within: .seconds(5)) } }
        let log = Log()
        for number in 0..<10_000 {
            let lane = number % 7
            let isTaken = pools[number % 2].submit(
                job(in: lane) { turn in
                    log.note(number, in: lane)
                    // Whether it ends early or with the job makes no difference.
                    if number % 3 == 0 { turn?.end() }
                }
            )
            #expect(isTaken)
        }
        #expect(eventually { log.count == 10_000 })
        for (lane, numbers) in log.all { #expect(numbers == Array(stride(from: lane, to: 10_000, by: 7))) }
    }

    @Test("a pool skips cancelled jobs and drops waiting ones when it stops, in any number")
    func dropping() throws {
        for isCancelled in [true, false] {
            let (lanes, gate, log) = (Lanes(), Gate(), Log())
            let pool = try WorkerPool("test", threads: 1, queueLength: 200_000, lanes: lanes)
            let cancellation = HTTPCancellation()
            #expect(pool.submit(job(in: 0) { _ in gate.pass() }))
            #expect(eventually { gate.arrivals == 1 })
            for number in 0..<100_000 {
                let isTaken = pool.submit(job(in: 0, cancellation) { _ in log.note(number, in: 0) })
                #expect(isTaken)
            }
            if isCancelled {
                cancellation.cancel()
                #expect(pool.submit(job(in: 0) { _ in log.note(-1, in: 0) }))
                gate.open()
                #expect(eventually { log.all == [0: [-1]] })
                #expect(pool.stop(within: .seconds(5)))
            } else {
                let ending = Background { pool.stop(within: .seconds(60)) }
                // A job submitted after stopping has begun is refused.
                #expect(eventually { !pool.submit(job(in: 1) { _ in }) })
                gate.open()
                ending.join()
                #expect(log.count == 0)
            }
        }
    }

    /// A client's job that waits at a gate.
    private func job(
        of client: UInt8,
        isLong: Bool,
        mayBlock: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) -> WorkerPool.Job {
        WorkerPool.Job(
            client: [client],
            lane: nil,
            isLong: isLong,
            mayBlock: mayBlock,
            cancellation: HTTPCancellation()
        ) { _ in
            work()
            return nil
        }
    }

    /// A job that turns out to take long, and waits at a gate then.
    private func job(of client: UInt8, turnsOut tried: Count, _ gate: Gate, in lane: HTTPLane? = nil) -> WorkerPool.Job
    {
        WorkerPool.Job(client: [client], lane: lane, cancellation: HTTPCancellation()) { _ in
            tried.add(1)
            return WorkerPool.Job(client: [client], lane: lane, isLong: true, cancellation: HTTPCancellation()) { _ in
                gate.pass()
                return nil
            }
        }
    }

    @Test(
        "put off what turns out to take long, so that short jobs of the same client go first, with its turn in its lane"
    )
    func puttingOff() throws {
        let (gate, tried, done) = (Gate(), Count(), Count())
        let lanes = Lanes()
        let pool = try WorkerPool("test", threads: 5, perClient: 4, queueLength: 400, lanes: lanes)
        defer { pool.stop(within: .seconds(5)) }
        for _ in 0..<150 { #expect(pool.submit(job(of: 1, turnsOut: tried, gate))) }
        #expect(eventually { tried.value == 150 && gate.arrivals == 3 })
        #expect(pool.submit(job(of: 1, isLong: false) { done.add(1) }))
        #expect(eventually { done.value == 1 })
        let lane = HTTPLane("a")
        #expect(pool.submit(job(of: 2, turnsOut: tried, gate, in: lane)))
        #expect(eventually { tried.value == 151 })
        // It has its turn as long as it waits.
        let next = WorkerPool.Job(client: [2], lane: lane, cancellation: HTTPCancellation()) { _ in
            done.add(1)
            return nil
        }
        #expect(pool.submit(next))
        #expect(gate.arrivals == 3 && done.value == 1)
        gate.open(for: 151)
        #expect(eventually { gate.arrivals == 151 && done.value == 2 })
    }

    @Test("one client can't occupy all threads, and its long jobs leave a thread to short ones")
    func fairness() throws {
        let (gate, others) = (Gate(), Count())
        let pool = try WorkerPool("test", threads: 5, perClient: 4, queueLength: 400, lanes: Lanes())
        defer { pool.stop(within: .seconds(5)) }
        for _ in 0..<150 {
            let isTaken = pool.submit(job(of: 1, isLong: true) { gate.pass() })
            #expect(isTaken)
        }
        #expect(eventually { gate.arrivals == 3 })
        // The same client's short jobs, and another client's short and long ones.
        #expect(pool.submit(job(of: 1, isLong: false) { others.add(1) }))
        #expect(eventually { others.value == 1 })
        #expect(pool.submit(job(of: 2, isLong: false) { others.add(1) }))
        #expect(eventually { others.value == 2 })
        #expect(gate.arrivals == 3)
        // A client can fill half of the queue.
        var taken = 0
        #expect(
            eventually {
                while taken < 54, pool.submit(job(of: 1, isLong: true) { gate.pass() }) { taken += 1 }
                return taken == 54
            }
        )
        #expect(!pool.submit(job(of: 1, isLong: false) {}))
        #expect(pool.submit(job(of: 2, isLong: true) { others.add(1) }))
        gate.open(for: 204)
        #expect(eventually { others.value == 3 && gate.arrivals == 204 })
    }

    @Test("a client's reading jobs run, long or short, while its writing jobs wait", arguments: [true, false])
    func ownReading(isLong: Bool) throws {
        let (gate, held, done) = (Gate(), Gate(), Count())
        let pool = try WorkerPool("test", threads: 4, perClient: 3, queueLength: 80, lanes: Lanes())
        defer { pool.stop(within: .seconds(5)) }
        var taken = 0
        while pool.submit(job(of: 1, isLong: isLong, mayBlock: true) { gate.pass() }) { taken += 1 }
        // Half of its half of the queue remains.
        #expect(taken == 23)
        #expect(eventually { gate.arrivals == (isLong ? 2 : 3) })
        for number in 1...10 {
            #expect(pool.submit(job(of: 1, isLong: number % 2 == 0) { done.add(1) }))
            #expect(eventually { done.value == number })
        }
        // All its concurrent jobs still leave a thread to others.
        for _ in 0..<4 { #expect(pool.submit(job(of: 1, isLong: false) { held.pass() })) }
        #expect(eventually { held.arrivals > 0 })
        #expect(pool.submit(job(of: 2, isLong: false) { done.add(1) }))
        #expect(eventually { done.value == 11 })
        gate.open(for: taken)
        held.open(for: 4)
        #expect(eventually { gate.arrivals == taken && held.arrivals == 4 })
    }

    @Test("after a job of one client comes another client's job, however late it was submitted")
    func turns() throws {
        let (gate, log) = (Gate(), Log())
        let pool = try WorkerPool("test", threads: 1, queueLength: 400, lanes: Lanes())
        defer { pool.stop(within: .seconds(5)) }
        #expect(pool.submit(job(of: 1, isLong: true) { gate.pass() }))
        #expect(eventually { gate.arrivals == 1 })
        for _ in 0..<100 { #expect(pool.submit(job(of: 1, isLong: false) { log.note(1, in: 0) })) }
        #expect(pool.submit(job(of: 2, isLong: true) { log.note(2, in: 0) }))
        gate.open()
        #expect(eventually { log.count == 101 })
        #expect(log.all[0]?.firstIndex(of: 2) == 1)
    }
}
