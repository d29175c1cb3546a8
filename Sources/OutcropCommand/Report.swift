// SPDX-License-Identifier: Apache-2.0

// What a command found out, for people and for scripts.

import JSON
import ObjectModel

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
    let text: String
    let json: () throws -> JSONValue
    let status: ReportStatus

    /// - Parameter json: Made when it is asked for, since not every model has a JSON form.
    init(text: String, json: @escaping @autoclosure () throws -> JSONValue, status: ReportStatus = .fine) {
        self.text = text
        self.json = json
        self.status = status
    }
}

/// Why a command could not do what it was asked.
struct Failure: Error {
    let message: String
    let hint: String?
    let status: ReportStatus
    /// For failures about a model: what kind it is, and where.
    let code: ModelIssue.Code?
    let place: ModelIssue.Place

    init(_ message: String, hint: String? = nil, status: ReportStatus = .problems) {
        self.message = message
        self.hint = hint
        self.status = status
        code = nil
        place = ModelIssue.Place()
    }

    init(_ issue: ModelIssue) {
        message = issue.message
        hint = issue.hint
        status = .problems
        code = issue.code
        place = issue.place
    }
}
