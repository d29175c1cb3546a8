// SPDX-License-Identifier: Apache-2.0

// What a command found out, for people and for scripts.

import JSON

/// How the program ends.
enum ReportStatus: Int32 {
    case fine = 0
    /// What was looked at has problems, or something could not be done.
    case problems = 1
    /// The command line was not understood.
    case usage = 2
}

/// What a command has to say: the same as text and as JSON, of which one is shown.
struct Report {
    var text: String
    var json: JSONValue
    var status: ReportStatus = .fine
}

/// Why a command could not do what it was asked.
struct Failure: Error {
    let message: String
    let hint: String?
    var status: ReportStatus = .problems

    init(_ message: String, hint: String? = nil, status: ReportStatus = .problems) {
        self.message = message
        self.hint = hint
        self.status = status
    }
}
