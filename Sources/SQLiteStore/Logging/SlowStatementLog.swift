// SPDX-License-Identifier: Apache-2.0

// What a store tells of statements that take long.

import SQLiteDriver

/// From when on a statement of a store is slow, and who is told of those that are.
///
///     store.slowStatementLog = SlowStatementLog(threshold: .milliseconds(250)) { logger.warning("\($0.sql) \($0.plan)") }
public struct SlowStatementLog: Sendable {
    /// How long SQLite takes for a slow statement at least, its rows read by whomever.
    public let threshold: Duration
    /// Whether values that are bound are told, which may be anybody's data.
    public let tellsValues: Bool
    /// Is given one statement at a time, on the thread that ran it and maybe while the store holds the writer: it must not itself
    /// use the store. Those of several threads come in any order.
    public let sink: Sink

    public typealias Sink = @Sendable (SlowStatement) -> Void

    public init(threshold: Duration, tellsValues: Bool = false, sink: @escaping Sink) {
        (self.threshold, self.tellsValues, self.sink) = (threshold, tellsValues, sink)
    }
}

/// A statement that took long.
public struct SlowStatement: Hashable, Sendable {
    /// Its text, which has no values.
    public let sql: String
    /// What was bound to it, written as in the SQL log; empty if nobody asked for it.
    public let values: [String]
    /// How SQLite runs it, step by step, those within another indented; nothing for what isn't a query or a change of rows.
    public let plan: [String]
    /// How long SQLite took for it, without what was done with its rows meanwhile.
    public let duration: Duration
    /// How many rows were read of it; nil for what has none.
    public let rows: Int?
    /// Whether it ran for a reader. Others may run on the thread of somebody else, whose transaction they share.
    public let isRead: Bool
}

extension SlowStatementLog {
    /// What the driver is to tell of statements.
    var details: TraceDetails { tellsValues ? .bindings : [] }

    func log(_ event: TraceEvent) {
        guard event.duration >= threshold else { return }
        sink(
            SlowStatement(
                sql: event.sql,
                values: tellsValues ? event.bindings.map(LogText.value) : [],
                plan: LogText.plan(event.plan()),
                duration: event.duration,
                rows: event.returnsRows ? event.rows : nil,
                isRead: event.isOnReader
            )
        )
    }
}
