// SPDX-License-Identifier: Apache-2.0

// The result of a command, for people and for scripts.

import JSON
import ObjectModel
import Synchronization

/// The exit code of the program.
enum ReportStatus: Int32 {
    case fine = 0
    /// Problems were found, or a step failed.
    case problems = 1
    /// The command line is invalid.
    case usage = 2
    /// The command was interrupted with Ctrl-C, and has ended in good order: 128 and the signal's number, as in shells.
    case interrupted = 130
    /// The same for SIGTERM.
    case terminated = 143
}

/// Writes a part of a long output verbatim, without adding a line end.
typealias OutputWriter = @Sendable (String) throws -> Void

/// The result of a command, shown either as text or as JSON.
struct Report {
    let json: () throws -> JSONValue
    let status: ReportStatus
    /// The errors in what the report is about, written to the error output.
    let issues: [ModelIssue]
    /// Warnings and notes, written to the error output.
    var remarks: [ModelIssue] = []
    /// A message to be written after the output.
    var footer: () -> String? = { nil }
    /// Runs after the report was written, or the reader closed the pipe, but not if writing failed.
    var settle: (() throws -> Void)?
    private let content: Content

    private enum Content {
        case text(StyledText)
        case document(String)
        case lines((@escaping OutputWriter) throws -> Void)
    }

    /// Creates a report for people.
    ///
    /// - Parameter json: Created on demand, since not every model has a JSON form. It must include the issues.
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

    /// Creates a report for other programs, such as JSON, SVG or a script, which is written verbatim.
    init(document: String, json: @escaping @autoclosure () throws -> JSONValue, issues: [ModelIssue] = []) {
        self.json = json
        status = issues.isEmpty ? .fine : .problems
        self.issues = issues
        content = .document(document)
    }

    /// Creates a report for other programs that is written line by line and never held in memory as a whole. `--json`
    /// doesn't change it.
    init(lines: @escaping (@escaping OutputWriter) throws -> Void) {
        json = { .null }
        status = .fine
        issues = []
        content = .lines(lines)
    }

    /// Writes a report in lines, or returns the text of another one.
    func shown(on terminal: Terminal, asJSON: Bool, writing write: OutputWriter?) throws -> String {
        switch content {
        case .text where asJSON, .document where asJSON: return try json().serialized(.pretty)
        case .text(let text): return text.rendered(on: terminal)
        case .document(let text): return text
        case .lines(let lines):
            if let write {
                try lines(write)
                return ""
            }
            let output = Mutex("")
            try withoutActuallyEscaping({ (text: String) in output.withLock { $0 += text } }, do: lines)
            return output.withLock { $0 }
        }
    }
}

/// Why a command failed.
struct Failure: Error {
    let message: String
    let hint: String?
    let status: ReportStatus
    /// For failures about a model or a store: their kind and place.
    let code: String?
    let place: ModelIssue.Place
    /// The findings that prevent the command.
    let issues: [ModelIssue]

    init(_ message: String, hint: String? = nil, status: ReportStatus = .problems, issues: [ModelIssue] = []) {
        self.message = message
        self.hint = hint
        self.status = status
        self.issues = issues
        code = nil
        place = ModelIssue.Place()
    }

    /// Creates a failure about a file other than a model.
    init(
        _ message: String,
        hint: String? = nil,
        status: ReportStatus = .problems,
        issues: [ModelIssue] = [],
        code: String?,
        file: String?
    ) {
        self.message = message
        self.hint = hint
        self.code = code
        self.issues = issues
        self.status = status
        place = ModelIssue.Place(file: file)
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
