// SPDX-License-Identifier: Apache-2.0

// Deadlines and cancellation of a connection's statements.

import CSQLite

extension Connection {
    /// When statements fail with `.interrupted`, both those that still run and those that begin later.
    public var deadline: ContinuousClock.Instant? {
        get { limits.deadline }
        set {
            limits.deadline = newValue
            watch()
        }
    }

    /// Makes statements fail with `.interrupted` once it is cancelled.
    public var cancellation: Cancellation? {
        get { limits.cancellation }
        set {
            limits.cancellation = newValue
            watch()
        }
    }

    /// Runs a closure under other limits, and restores the connection's own afterwards.
    public func within<R, Failure: Error>(
        deadline: ContinuousClock.Instant?,
        cancellation: Cancellation?,
        _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
        if deadline == nil, cancellation == nil, limits.isEmpty { return try body() }
        let outer = (deadline: limits.deadline, cancellation: limits.cancellation)
        limits.deadline = deadline
        limits.cancellation = cancellation
        watch()
        defer {
            limits.deadline = outer.deadline
            limits.cancellation = outer.cancellation
            watch()
        }
        return try body()
    }

    /// Runs a closure without limits, because it must not be interrupted.
    public func withoutLimits<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
        try within(deadline: nil, cancellation: nil, body)
    }

    // The limits live as long as the connection, and SQLite calls the handler only while a statement runs.
    private func watch() {
        guard !limits.isEmpty else {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        let context = unsafe Unmanaged.passUnretained(limits).toOpaque()
        unsafe sqlite3_progress_handler(
            handle,
            limits.interval,
            { unsafe Unmanaged<Limits>.fromOpaque($0!).takeUnretainedValue().exceeded == nil ? 0 : 1 },
            context
        )
    }
}
