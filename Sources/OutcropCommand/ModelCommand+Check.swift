// SPDX-License-Identifier: Apache-2.0

// `outcrop model check`

import Arguments
import JSON
import ObjectModel

extension ModelCommand {
    private static let paths = Argument<[String]>(
        "PATH",
        "The models to check.",
        completion: ModelFiles.completion,
        atLeast: 1
    )
    private static let allVersions = Flag("all-versions", "Check every version, not only the current one.")
    private static let strict = Flag("strict", "Count warnings as problems.")
    private static let verbose = Flag(
        "verbose",
        short: "v",
        "Show notes too, such as preserved elements that have no meaning here."
    )

    static let check = Command<Action>(
        "check",
        "Report all errors and warnings of models.",
        discussion: """
            Each finding has its place and, if possible, the remedy. Errors prevent the use of a model; warnings and notes
            don't. A version that can't be read at all is an error, even if it isn't the current one.
            """,
        examples: [
            Example("outcrop model check App.xcdatamodeld"),
            Example("outcrop model check --strict --json *.xcdatamodeld", "For a script."),
        ],
        exitCodes: [
            ExitCode(0, "No errors (with --strict: nor warnings)."),
            ExitCode(1, "Problems, or a file that can't be read."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [paths, allVersions, strict, verbose]
    ) { parsed, _ in
        let checks = parsed[paths].map { Check(of: $0, allVersions: parsed[allVersions]) }
        let findings = checks.flatMap(\.findings)
        let least = parsed[verbose] ? ModelIssue.Severity.note : .warning
        let shown = findings.filter { $0.severity >= least }
        let bound = parsed[strict] ? ModelIssue.Severity.warning : .error
        let counts = Counts(checks)
        return Report(
            text: (shown.map(\.line) + [StyledText(counts.summary)]).joined(separator: "\n"),
            json: .object([
                "issues": .array(shown.map(\.json)), "errors": .integer(counts.errors),
                "warnings": .integer(counts.warnings), "versionsNotChecked": .integer(counts.versionsNotChecked),
            ]),
            status: findings.contains { $0.severity >= bound } ? .problems : .fine
        )
    }

    /// The check of one model.
    private struct Check {
        private(set) var findings: [ModelIssue] = []
        private(set) var versionsNotChecked = 0

        init(of path: String, allVersions: Bool) {
            let file: ModelFile
            do {
                file = try ModelFiles.file(path)
            } catch {
                findings = [error.issue]
                return
            }
            for (index, version) in file.versions.enumerated() {
                if allVersions || index == file.currentIndex {
                    findings += version.findings(file: allVersions ? "\(path): \(version.name)" : path)
                } else if let error = version.unreadable {
                    findings.append(error)
                } else {
                    versionsNotChecked += 1
                }
            }
        }
    }

    private struct Counts {
        let errors: Int
        let warnings: Int
        let versionsNotChecked: Int
        let summary: String

        init(_ checks: [Check]) {
            let findings = checks.flatMap(\.findings)
            errors = findings.count { $0.severity == .error }
            warnings = findings.count { $0.severity == .warning }
            versionsNotChecked = checks.reduce(0) { $0 + $1.versionsNotChecked }
            var parts = [(checks.count, "model"), (errors, "error"), (warnings, "warning")]
                .map { Wording.count($0, $1) }
            if versionsNotChecked > 0 { parts.append(Wording.count(versionsNotChecked, "version") + " not checked") }
            summary = parts.joined(separator: ", ")
        }
    }
}
