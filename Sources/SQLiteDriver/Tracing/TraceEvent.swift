// SPDX-License-Identifier: Apache-2.0

// What a tracer is told of a statement.

/// One execution of a statement, which has ended. It can't leave the thread that ran it, so that values are written out only
/// for those who ask for them there.
public struct TraceEvent {
    let statement: CompiledStatement
    /// How many rows were read of it.
    public let rows: Int
    /// How long SQLite took for it, without what the reader did between the rows.
    public let duration: Duration
    /// What it failed with.
    public let error: SQLiteError?

    public var sql: String { statement.text }

    /// The text with what was bound written into it.
    public var expandedSQL: String { statement.expandedSQL }
}

/// What is called after each execution of a statement, on the thread that ran it.
public typealias Tracer = @Sendable (TraceEvent) -> Void
