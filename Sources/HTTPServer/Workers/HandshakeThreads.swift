// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Threads that take the steps of handshakes in order. Each connection has at most one step in the queue.
final class HandshakeThreads: Sendable {
    typealias Step = @Sendable () -> Void

    private let queue = StepQueue()
    private let threads: [WorkerThread]

    init(count: Int) throws(ServerError) {
        var threads: [WorkerThread] = []
        do throws(ServerError) {
            for index in 0..<max(1, count) {
                threads.append(try WorkerThread("handshakes-\(index)") { [queue] in queue.run() })
            }
        } catch {
            queue.end(threads.count)
            for thread in threads { thread.join() }
            throw error
        }
        self.threads = threads
    }

    func submit(_ step: @escaping Step) { queue.append(step) }

    /// Drops the steps that haven't begun, and waits for the others.
    func stop() {
        queue.end(threads.count)
        for thread in threads { thread.join() }
    }
}

private final class StepQueue: Sendable {
    private let steps = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    private struct State {
        var steps = Queue<HandshakeThreads.Step>()
        var isEnded = false
    }

    func append(_ step: @escaping HandshakeThreads.Step) {
        steps.withLock { state in
            if !state.isEnded { state.steps.append(step) }
        }
        arrival.signal()
    }

    /// Takes steps until the end.
    func run() {
        while true {
            arrival.wait()
            let (step, isEnded) = steps.withLock { ($0.steps.popFirst(), $0.isEnded) }
            if isEnded { return }
            step?()
        }
    }

    /// Ends as many threads.
    func end(_ count: Int) {
        steps.withLock { $0 = State(isEnded: true) }
        for _ in 0..<count { arrival.signal() }
    }
}
