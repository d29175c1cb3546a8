// SPDX-License-Identifier: Apache-2.0

// Reports how many rows statements have written, while they run.

import CSQLite

/// Counts written rows.
private final class WrittenRows {
    static let interval = 10_000
    let report: (Int) -> Void
    var count = 0

    init(_ report: @escaping (Int) -> Void) { self.report = report }

    func add() {
        count += 1
        if count.isMultiple(of: Self.interval) { report(count) }
    }
}

extension Connection {
    /// Runs a closure, and reports the number of rows that it has inserted, updated or deleted so far, after each ten
    /// thousand.
    public func reportingRows<R>(to report: @escaping (Int) -> Void, _ body: () throws -> R) rethrows -> R {
        let rows = WrittenRows(report)
        let context = unsafe Unmanaged.passUnretained(rows).toOpaque()
        _ = unsafe sqlite3_update_hook(
            handle,
            { context, _, _, _, _ in unsafe Unmanaged<WrittenRows>.fromOpaque(context!).takeUnretainedValue().add() },
            context
        )
        defer {
            _ = unsafe sqlite3_update_hook(handle, nil, nil)
            withExtendedLifetime(rows) {}
        }
        return try body()
    }
}
