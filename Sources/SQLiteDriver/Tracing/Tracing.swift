// SPDX-License-Identifier: Apache-2.0

// The tracer of connections.

import Synchronization

/// The tracer of one connection, or of all connections of a database.
final class Tracing: Sendable {
    private let isSet = Atomic(false)
    private let wanted = Atomic(TraceDetails().rawValue)
    /// The nanoseconds from which an execution is traced.
    private let threshold = Atomic(0)
    private let current = Mutex(Holder())

    /// Wraps the closure, which `Mutex` would otherwise re-wrap with each access.
    private struct Holder {
        var tracer: Tracer?
    }

    @inline(__always)
    var isOn: Bool { isSet.load(ordering: .relaxed) }

    @inline(__always)
    var details: TraceDetails { TraceDetails(rawValue: wanted.load(ordering: .relaxed)) }

    var tracer: Tracer? { current.withLock { $0.tracer } }

    /// Whether an execution of this duration is traced.
    func includes(_ duration: Duration) -> Bool {
        let threshold = threshold.load(ordering: .relaxed)
        return threshold == 0 || duration >= .nanoseconds(threshold)
    }

    func set(_ tracer: Tracer?, details: TraceDetails, threshold limit: Duration = .zero) {
        current.withLock { current in
            current.tracer = tracer
            threshold.store(Int(min(limit, .seconds(1 << 30)) / .nanoseconds(1)), ordering: .relaxed)
            wanted.store((tracer == nil ? [] : details).rawValue, ordering: .relaxed)
            isSet.store(tracer != nil, ordering: .relaxed)
        }
    }
}

/// The measurements of a running statement.
struct StatementTrace {
    private(set) var rows = 0
    private(set) var duration = Duration.zero

    mutating func add(_ time: Duration, isRow: Bool) {
        duration += time
        if isRow { rows += 1 }
    }
}
