// SPDX-License-Identifier: Apache-2.0

// What a server has to say while it runs.

import FoundationEssentials
import HTTPMessage
import JSON

/// Who reads the log.
enum LogFormat: String, CaseIterable, Sendable {
    case people
    case json
}

/// How much is logged: what has this level, or one that is more serious.
enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case debug
    case info
    case warning
    case error
    case off

    static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What is logged, by a word for machines. docs/configuration.md says what each has.
enum LogEvent: String, CaseIterable, Sendable {
    case ready
    case request
    case slowQuery
    case failure
    case setting
    case anonymous
    /// The file of a store was deleted or replaced, or is back.
    case store
    /// A draft of an earlier run is lost.
    case context
    case log
    case dropped
    case stopping
    case stopped
}

/// One line of the log, before it is text.
struct LogEntry: Sendable {
    enum Content: Sendable {
        case exchange(HTTPExchangeRecord)
        case slowQuery(SlowQuery)
        /// What happened, a sentence for people, and what else is known of it.
        case event(LogEvent, String, JSONObject)
    }

    let time: Date
    let level: LogLevel
    let content: Content

    init(_ level: LogLevel, _ content: Content, time: Date = Date()) {
        (self.time, self.level, self.content) = (time, level, content)
    }
}

/// A query that took longer than it should.
struct SlowQuery: Sendable {
    var requestID: String?
    /// The statement, without values.
    var statement: String
    /// What was bound to it; logged only where that was asked for.
    var values: [String] = []
    /// How it was carried out, step by step.
    var plan: [String] = []
    var duration: Duration
    /// How many rows it found.
    var rows: Int?
}
