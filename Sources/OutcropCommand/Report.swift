// SPDX-License-Identifier: Apache-2.0

// What a command found out, for people and for scripts.

import JSON
import ObjectModel
import Synchronization

/// How the program ends.
enum ReportStatus: Int32 {
    case fine = 0
    /// What was looked at has problems, or something could not be done.
    case problems = 1
    /// The command line was not understood.
    case usage = 2
}

/// Takes some of a long output, which is written then as it is, with no line's end besides its own.
typealias OutputWriter = @Sendable (String) throws -> Void

/// What a command has to say: the same as text and as JSON, of which one is shown.
struct Report {
    let json: () throws -> JSONValue
    let status: ReportStatus
    /// What is wrong with what the report is about; it goes to the error output.
    let issues: [ModelIssue]
    /// What is worth knowing and no problem; it goes to the error output, too.
    var remarks: [ModelIssue] = []
    /// What is worth knowing when all of it has been written.
    var afterword: () -> String? = { nil }
    /// What is done when the report has been written, or nobody wants it, and isn't where it can't be written.
    var settle: (() throws -> Void)?
    private let content: Content

    private enum Content {
        case text(StyledText)
        case document(String)
        case lines((@escaping OutputWriter) throws -> Void)
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

    /// A report that other programs read line by line, and that is never there as a whole.
    init(lines: @escaping (@escaping OutputWriter) throws -> Void) {
        json = { .null }
        status = .fine
        issues = []
        content = .lines(lines)
    }

    /// What is to be shown, after some of it was written already.
    func shown(on terminal: Terminal, writing write: OutputWriter?) throws -> String {
        switch content {
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
