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
    let json: () throws -> JSONValue
    let status: ReportStatus
    /// What is wrong with what the report is about; it goes to the error output.
    let issues: [ModelIssue]
    private let content: Content

    private enum Content {
        case text(StyledText)
        case document(String)
    }

    /// A report for people.
    ///
    /// - Parameter json: Made when it is asked for, since not every model has a JSON form. It has the issues if need be.
    init(
        text: StyledText,
        json: @escaping @autoclosure () throws -> JSONValue,
        status: ReportStatus = .fine,
        issues: [ModelIssue] = []
    ) {
        self.json = json
        self.status = issues.isEmpty ? status : .problems
        self.issues = issues
        content = .text(text)
    }

    /// A report that other programs read: JSON, SVG, a script. It stays as it is, letter by letter.
    init(document: String, json: @escaping @autoclosure () throws -> JSONValue, issues: [ModelIssue] = []) {
        self.json = json
        status = issues.isEmpty ? .fine : .problems
        self.issues = issues
        content = .document(document)
    }

    func shown(on terminal: Terminal) -> String {
        switch content {
        case .text(let text): text.rendered(on: terminal)
        case .document(let text): text
        }
    }
}

/// Why a command could not do what it was asked.
struct Failure: Error {
    let message: String
    let hint: String?
    let status: ReportStatus
    /// For failures about a model or a store: what kind it is, and where.
    let code: String?
    let place: ModelIssue.Place
    /// The findings that stand in the way.
    let issues: [ModelIssue]

    init(_ message: String, hint: String? = nil, status: ReportStatus = .problems, issues: [ModelIssue] = []) {
        self.message = message
        self.hint = hint
        self.status = status
        self.issues = issues
        code = nil
        place = ModelIssue.Place()
    }

    /// A failure about a file that is no model.
    init(_ message: String, hint: String? = nil, code: String?, file: String?) {
        self.message = message
        self.hint = hint
        self.code = code
        status = .problems
        place = ModelIssue.Place(file: file)
        issues = []
    }

    init(_ issue: ModelIssue) {
        message = issue.message
        hint = issue.hint
        status = .problems
        code = issue.code.rawValue
        place = issue.place
        issues = []
    }
}
