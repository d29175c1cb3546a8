// SPDX-License-Identifier: Apache-2.0

// Threads that wait for the disk, so that there have to be more of them than processors.

import Glibc
import Synchronization

/// Has so many threads each do the operations of one place, and gives the times of all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> [Double]) throws -> [Double] {
    let answers = Answers()
    var threads: [pthread_t] = []
    for place in 0..<count {
        let work = Work { answers.add(Result { try body(place) }) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            Unmanaged.passRetained(work).toOpaque()
        )
        guard code == 0 else { throw BenchError("A thread can't be made.") }
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    return try answers.all()
}

private final class Answers: Sendable {
    private let answers = Mutex<[Result<[Double], any Error>]>([])

    func add(_ answer: Result<[Double], any Error>) { answers.withLock { $0.append(answer) } }

    func all() throws -> [Double] { try answers.withLock { try $0.flatMap { try $0.get() } } }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
