// SPDX-License-Identifier: Apache-2.0

// What a tracer is told of a statement.

/// One execution of a statement, which has ended. It can't leave the thread that ran it, so that values are written out only
/// for those who ask for them there.
public struct TraceEvent {
    let statement: CompiledStatement
    let connection: Connection
    /// What was bound to the parameters, in their order, if that was asked for when the statement was prepared; nil for what
    /// isn't known.
    public let bindings: [SQLValue?]
    /// How many rows were read of it.
    public let rows: Int
    /// How long SQLite took for it, without what the reader did between the rows.
    public let duration: Duration
    /// What it failed with.
    public let error: SQLiteError?
    /// Whether it ran on one of a database's connections for reading.
    public let isOnReader: Bool

    public var sql: String { statement.text }

    /// The text with what was bound written into it.
    public var expandedSQL: String { statement.expandedSQL }

    /// Whether it is one that can have rows.
    public var returnsRows: Bool { statement.columnCount > 0 }

    /// How SQLite runs it, which is asked for with each call; nothing for what isn't a query or a change of rows.
    public func plan() -> [PlanStep] { connection.planForTrace(of: statement.text) }
}

/// What is called after each execution of a statement, on the thread that ran it.
public typealias Tracer = @Sendable (TraceEvent) -> Void

/// What a tracer is told of that costs something.
public struct TraceDetails: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let bindings = TraceDetails(rawValue: 1)
}
