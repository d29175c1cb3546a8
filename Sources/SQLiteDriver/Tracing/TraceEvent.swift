// SPDX-License-Identifier: Apache-2.0

// Trace events.

/// A completed execution of a statement. It can't leave the thread that ran it, so values are formatted only for
/// tracers that read them.
public struct TraceEvent {
    let statement: CompiledStatement
    let connection: Connection
    /// The values bound to the parameters, in order, if requested before the preparation; nil for an unknown value.
    public let bindings: [SQLValue?]
    /// How many rows were read.
    public let rows: Int
    /// The time spent in SQLite, without the reader's work between the rows.
    public let duration: Duration
    /// The error, if it failed.
    public let error: SQLiteError?
    /// Whether it ran on one of a database's connections for reading.
    public let isOnReader: Bool

    public var sql: String { statement.text }

    /// The text with the bound values inserted.
    public var expandedSQL: String { statement.expandedSQL }

    /// Whether the statement can return rows.
    public var returnsRows: Bool { statement.columnCount > 0 }

    /// The query plan, computed with each call; empty for what isn't a query or a change of rows.
    public func plan() -> [PlanStep] { connection.planForTrace(of: statement.text) }
}

/// Called after each execution of a statement, on the thread that ran it.
public typealias Tracer = @Sendable (TraceEvent) -> Void

/// Details for a tracer that are costly to record.
public struct TraceDetails: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let bindings = TraceDetails(rawValue: 1)
}
