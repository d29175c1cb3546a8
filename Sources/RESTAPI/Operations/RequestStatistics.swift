// SPDX-License-Identifier: Apache-2.0

// What was asked of the API, and how long it took.

import HTTPMessage
import ObjectGraph
import Synchronization

/// Counts since the start.
final class RequestStatistics: Sendable {
    struct Counts: Sendable {
        /// By the index of the operation.
        fileprivate(set) var operations = Operation.allCases.map { _ in CallTimings() }
        /// Whole exchanges, from the first byte of the request to the last of the answer.
        fileprivate(set) var exchanges = CallTimings()
        fileprivate(set) var answers: [Answer: Int] = [:]
        fileprivate(set) var aborted = 0
        fileprivate(set) var received = 0
        fileprivate(set) var sent = 0
        /// What exchanges waited for a worker.
        fileprivate(set) var queued = Duration.zero
    }

    /// Which answers are counted together.
    struct Answer: Hashable, Sendable {
        let method: String
        let status: Int
    }

    private let counts = Mutex(Counts())

    var current: Counts { counts.withLock { $0 } }

    func add(_ operation: Operation, duration: Duration) {
        counts.withLock { $0.operations[operation.index].add(duration) }
    }

    func add(_ exchange: HTTPExchangeRecord) {
        // Clients can make up methods without end.
        let method = Self.methods.contains(exchange.method) ? exchange.method.name : "other"
        counts.withLock { counts in
            counts.answers[Answer(method: method, status: exchange.status.code), default: 0] += 1
            counts.exchanges.add(exchange.duration)
            counts.received += exchange.received
            counts.sent += exchange.sent
            counts.queued += exchange.queued
            if exchange.isAborted { counts.aborted += 1 }
        }
    }

    private static let methods: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete, .options]
}
