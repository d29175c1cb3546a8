// SPDX-License-Identifier: Apache-2.0

// Entries of a server's log.

import FoundationEssentials
import HTTPMessage
import JSON

/// The format of the log.
enum LogFormat: String, CaseIterable, Sendable {
    case people
    case json
}

/// The level of an entry, or the least serious one that is logged.
enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case debug
    case info
    case warning
    case error
    case off

    static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The kind of an event in the JSON log. docs/configuration.md lists their fields.
enum LogEvent: String, CaseIterable, Sendable {
    /// The server couldn't start.
    case start
    case ready
    case request
    case slowQuery
    case failure
    case setting
    case anonymous
    /// The file of a store was deleted, replaced, restored or migrated.
    case store
    /// The model was changed, or a change was refused.
    case model
    /// A draft of an earlier run, or of an earlier model, is lost.
    case context
    /// A webhook's delivery failed, was given up, or goes on.
    case hook
    /// A backup was made, or failed.
    case backup
    /// The certificates were read again, or have a mistake.
    case tls
    /// The access file or a file of keys was read again, or has a mistake.
    case access
    /// A credential was refused.
    case refusal
    case log
    case dropped
    case stopping
    case stopped
}

/// An entry of the log.
struct LogEntry: Sendable {
    enum Content: Sendable {
        case exchange(HTTPExchangeRecord)
        case slowQuery(SlowQuery)
        /// The kind of event, a sentence, and additional fields.
        case event(LogEvent, String, JSONObject)
    }

    let time: Date
    let level: LogLevel
    let content: Content

    init(_ level: LogLevel, _ content: Content, time: Date = Date()) {
        self.time = time
        self.level = level
        self.content = content
    }
}

/// A query that exceeded the threshold.
struct SlowQuery: Sendable {
    var requestID: String?
    /// The statement, without values.
    var statement: String
    /// The bound values; logged only if enabled.
    var values: [String] = []
    /// The steps of the query plan.
    var plan: [String] = []
    var duration: Duration
    /// How many rows it returned.
    var rows: Int?
}
