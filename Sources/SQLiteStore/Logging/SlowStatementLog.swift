// SPDX-License-Identifier: Apache-2.0

// The log of slow statements.

import SQLiteDriver

/// The threshold from which a store's statement is slow, and the destination for slow statements.
///
///     store.slowStatementLog = SlowStatementLog(threshold: .milliseconds(250)) { logger.warning("\($0.sql) \($0.plan)") }
public struct SlowStatementLog: Sendable {
    /// The time in SQLite from which a statement is slow, without the processing of its rows.
    public let threshold: Duration
    /// Whether to include bound values, which may be personal data.
    public let includesValues: Bool
    /// Receives one statement at a time.
    ///
    /// It is called on the thread that executed the statement, possibly while the store holds the writer, so it must
    /// not use the store. The order of calls from several threads is undefined.
    public let sink: Sink

    public typealias Sink = @Sendable (SlowStatement) -> Void

    public init(threshold: Duration, includesValues: Bool = false, sink: @escaping Sink) {
        self.threshold = threshold
        self.includesValues = includesValues
        self.sink = sink
    }
}

/// A statement that reached the threshold.
public struct SlowStatement: Hashable, Sendable {
    /// Its text, without values.
    public let sql: String
    /// The bound values, formatted as in the SQL log; empty unless `includesValues` is set.
    public let values: [String]
    /// SQLite's query plan, nested steps indented; empty unless the statement reads or changes rows.
    public let plan: [String]
    /// The time that SQLite took, without the processing of its rows.
    public let duration: Duration
    /// The number of rows read, or nil if the statement returns none.
    public let rows: Int?
    /// Whether it ran on a reader's connection. A write may run on the thread of another caller that shares the
    /// transaction.
    public let isRead: Bool
}

extension SlowStatementLog {
    /// The details that the driver should trace.
    var details: TraceDetails { includesValues ? .bindings : [] }

    func log(_ event: TraceEvent) {
        guard event.duration >= threshold else { return }
        sink(
            SlowStatement(
                sql: event.sql,
                values: includesValues ? event.bindings.map(LogText.value) : [],
                plan: LogText.plan(event.plan()),
                duration: event.duration,
                rows: event.returnsRows ? event.rows : nil,
                isRead: event.isOnReader
            )
        )
    }
}
