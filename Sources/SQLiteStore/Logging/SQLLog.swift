// SPDX-License-Identifier: Apache-2.0

// The log of a store's SQL.

/// How much of its SQL a store logs, in the format of Core Data, and the destination.
///
///     store.sqlLog = SQLLog(level: 3)  // to standard error
///     store.sqlLog = SQLLog(level: 1) { lines in for line in lines { logger.debug("\(line)") } }
///     store.sqlLog = .off
///
/// 1. Values and keys are logged at levels 3 and 4 only. Statements have none in their texts.
/// 2. No value or name can make a line of its own, or end one.
public struct SQLLog: Sendable {
    /// - 0: nothing;
    /// - 1: statements with their durations, and the results of calls to the store;
    /// - 2: also the number of rows of each statement, and statements that only prepare reading;
    /// - 3: also bound values and object IDs;
    /// - 4: also SQLite's query plan for each statement, which is requested each time.
    public let level: Int
    /// Receives the lines of one statement or call at a time.
    ///
    /// It is called on the thread that executes the statement, possibly while the store holds the writer, so it must
    /// not use the store. The order of calls from several threads is undefined.
    public let sink: Sink

    public typealias Sink = @Sendable (_ lines: [String]) -> Void

    public init(level: Int, sink: @escaping Sink = Self.standardError) {
        self.level = min(max(level, 0), 4)
        self.sink = sink
    }

    public static let off = SQLLog(level: 0)

    var logsRows: Bool { level >= 2 }
    var includesValues: Bool { level >= 3 }
    var logsPlans: Bool { level >= 4 }
}
