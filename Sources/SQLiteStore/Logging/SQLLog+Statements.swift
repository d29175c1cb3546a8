// SPDX-License-Identifier: Apache-2.0

// Log lines for one execution of a statement.

import SQLiteDriver

extension SQLLog {
    /// The details that the driver should trace.
    var details: TraceDetails { includesValues ? .bindings : [] }

    func log(_ event: TraceEvent) {
        guard logsRows || !event.isBookkeeping else { return }
        sink(lines(of: event))
    }

    private func lines(of event: TraceEvent) -> [String] {
        var lines = [LogText.line("sql: \(event.sql)")]
        if includesValues {
            for (index, value) in event.bindings.enumerated() {
                lines.append(LogText.line("details: SQLite bind[\(index)] = \(LogText.value(value))"))
            }
        }
        if logsPlans { lines += LogText.plan(event.plan()).map { LogText.line("details: SQLite query plan: \($0)") } }
        if let error = event.error {
            lines.append(LogText.line("error: (\(error.extendedCode)) \(error.message)"))
        }
        let what = event.returnsRows ? "sql connection fetch time" : "sql execution time"
        lines.append(LogText.line("annotation: \(what): \(LogText.seconds(event.duration))"))
        if logsRows, event.returnsRows {
            lines.append(
                LogText.line("annotation: fetch with sql text '\(event.sql)' returned \(event.rows) rows")
            )
        }
        return lines
    }
}

extension TraceEvent {
    /// Whether the statement neither changes nor reads rows, but only enables others to.
    fileprivate var isBookkeeping: Bool {
        let verb = sql.prefix { $0 != " " }
        if ["SAVEPOINT", "RELEASE"].contains(verb) { return error == nil }
        return isOnReader && error == nil && ["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA"].contains(verb)
    }
}
