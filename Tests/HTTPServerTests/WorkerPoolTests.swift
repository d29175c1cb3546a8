// SPDX-License-Identifier: Apache-2.0

// Many jobs of few lanes.

import HTTPMessage
import Synchronization
import Testing

@testable import HTTPServer

@Suite("Pools of workers")
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
        WorkerPool.Job(client: nil, lane: HTTPLane("\(lane)"), cancellation: cancellation, run: work)
    }

    @Test("that share lanes do what is in one of them in its order, be it ten thousand jobs")
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

    @Test("skip what was cancelled and drop what waits at their end, however much it is")
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
                // What comes after the end has begun is refused.
                #expect(eventually { !pool.submit(job(in: 1) { _ in }) })
                gate.open()
                ending.join()
                #expect(log.count == 0)
            }
        }
    }
}
