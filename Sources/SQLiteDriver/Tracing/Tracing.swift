// SPDX-License-Identifier: Apache-2.0

// Whether and by whom the statements of a connection are traced.

import Synchronization

/// The tracer of one connection, or of all those of a database.
final class Tracing: Sendable {
    private let isSet = Atomic(false)
    private let current = Mutex<Tracer?>(nil)

    @inline(__always)
    var isOn: Bool { isSet.load(ordering: .relaxed) }

    var tracer: Tracer? {
        get { current.withLock { $0 } }
        set {
            current.withLock { $0 = newValue }
            isSet.store(newValue != nil, ordering: .relaxed)
        }
    }

    func report(_ trace: StatementTrace, of statement: CompiledStatement, error: SQLiteError?) {
        guard let tracer else { return }
        tracer(TraceEvent(statement: statement, rows: trace.rows, duration: trace.duration, error: error))
    }
}

/// What is counted while a statement runs.
struct StatementTrace {
    private(set) var rows = 0
    private(set) var duration = Duration.zero

    mutating func add(_ time: Duration, isRow: Bool) {
        duration += time
        if isRow { rows += 1 }
    }
}
