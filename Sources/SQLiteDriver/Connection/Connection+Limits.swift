// SPDX-License-Identifier: Apache-2.0

// Deadlines and cancellation of a connection's statements.

import CSQLite

extension Connection {
    /// When statements that still run, or are begun later, fail with `.interrupted`.
    public var deadline: ContinuousClock.Instant? {
        get { limits.deadline }
        set {
            limits.deadline = newValue
            watch()
        }
    }

    /// What makes statements fail with `.interrupted` once it is cancelled.
    public var cancellation: Cancellation? {
        get { limits.cancellation }
        set {
            limits.cancellation = newValue
            watch()
        }
    }

    /// Does something under limits of its own.
    func within<R, Failure: Error>(
        deadline: ContinuousClock.Instant?,
        cancellation: Cancellation?,
        _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
        if deadline == nil, cancellation == nil, limits.isEmpty { return try body() }
        let outer = (limits.deadline, limits.cancellation)
        (limits.deadline, limits.cancellation) = (deadline, cancellation)
        watch()
        defer {
            (limits.deadline, limits.cancellation) = outer
            watch()
        }
        return try body()
    }

    /// Does something whatever the limits are, since it can't be left undone.
    public func withoutLimits<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
        try within(deadline: nil, cancellation: nil, body)
    }

    // The limits live as long as the connection, which SQLite calls back only while it runs a statement.
    private func watch() {
        guard !limits.isEmpty else {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        let context = unsafe Unmanaged.passUnretained(limits).toOpaque()
        unsafe sqlite3_progress_handler(
            handle,
            Limits.interval,
            { unsafe Unmanaged<Limits>.fromOpaque($0!).takeUnretainedValue().exceeded == nil ? 0 : 1 },
            context
        )
    }
}
