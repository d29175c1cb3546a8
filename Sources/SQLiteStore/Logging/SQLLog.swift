// SPDX-License-Identifier: Apache-2.0

// What a store tells of the SQL that it runs, and to whom.

/// How much of its SQL a store logs, in the words of Core Data, and where to.
///
///     store.sqlLog = SQLLog(level: 3)  // to standard error
///     store.sqlLog = SQLLog(level: 1) { lines in for line in lines { logger.debug("\(line)") } }
///     store.sqlLog = .off
///
/// 1. Values and keys are logged at levels 3 and 4 only. Statements have none in their texts.
/// 2. No value or name can make a line of its own, or end one.
public struct SQLLog: Sendable {
    /// - 0: nothing;
    /// - 1: statements with their times, and what calls to the store found;
    /// - 2: also how many rows each statement returned, and what is run only to be able to read;
    /// - 3: also values that are bound, and the IDs of objects;
    /// - 4: also how SQLite means to run each statement, which it is asked for each time.
    public let level: Int
    /// Is given the lines of one statement, or of one call, at a time, on the thread that is at it and maybe while the store holds
    /// the writer: it must not itself use the store. Those of several threads come in any order.
    public let sink: Sink

    public typealias Sink = @Sendable (_ lines: [String]) -> Void

    public init(level: Int, sink: @escaping Sink = Self.standardError) {
        self.level = min(max(level, 0), 4)
        self.sink = sink
    }

    public static let off = SQLLog(level: 0)

    var tellsRows: Bool { level >= 2 }
    var tellsValues: Bool { level >= 3 }
    var tellsPlans: Bool { level >= 4 }
}
