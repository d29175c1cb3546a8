// SPDX-License-Identifier: Apache-2.0

// Counts executed statements.

import Synchronization

/// The count of one connection: incremented only by the connection's thread, readable from any thread.
final class StatementCount: Sendable {
    private let count = Atomic(0)

    @inline(__always)
    func add() { count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    var value: Int { count.load(ordering: .relaxed) }
}

/// The counts of all connections that a database has opened.
final class StatementCounts: Sendable {
    private let counts = Mutex<[StatementCount]>([])

    func add(_ count: StatementCount) { counts.withLock { $0.append(count) } }

    var total: Int { counts.withLock { $0.reduce(0) { $0 + $1.value } } }
}
