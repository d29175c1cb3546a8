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
    private static let allVersions = Flag("all-versions", "Check every version, not the current one alone.")
    private static let strict = Flag("strict", "Count warnings as problems.")
    private static let verbose = Flag("verbose", short: "v", "Show notes too: what is carried along without a meaning.")

    static let check = Command<Action>(
        "check",
        "Say everything that is wrong with models.",
        discussion: """
            Each finding comes with its place and, where possible, the remedy. Errors keep a model from being used; warnings
            and notes don't.
            """,
        examples: [
            Example("outcrop model check App.xcdatamodeld"),
            Example("outcrop model check --strict --json *.xcdatamodeld", "For a script."),
        ],
        exitCodes: [
            ExitCode(0, "No errors (with --strict: nor warnings)."),
            ExitCode(1, "Problems, or a file that can't be read."),
            ExitCode(2, "The command line is wrong."),
        ],
        parameters: [paths, allVersions, strict, verbose]
    ) { parsed, _ in
        let findings = parsed[paths].flatMap { Self.findings(in: $0, allVersions: parsed[allVersions]) }
        let least = parsed[verbose] ? ModelIssue.Severity.note : .warning
        let shown = findings.filter { $0.severity >= least }
        let bound = parsed[strict] ? ModelIssue.Severity.warning : .error
        let counts = Counts(findings, models: parsed[paths].count)
        return Report(
            text: (shown.map { $0.line } + [StyledText(counts.summary)]).joined(separator: "\n"),
            json: .object([
                "issues": .array(shown.map(\.json)), "errors": .integer(counts.errors),
                "warnings": .integer(counts.warnings),
            ]),
            status: findings.contains { $0.severity >= bound } ? .problems : .fine
        )
    }

    private static func findings(in path: String, allVersions: Bool) -> [ModelIssue] {
        let file: ModelFile
        do {
            file = try ModelFile.read(path: path)
        } catch {
            return [error.issue]
        }
        let versions = allVersions ? file.versions : [file.current]
        return versions.flatMap { $0.findings(file: allVersions ? "\(path): \($0.name)" : path) }
    }

    private struct Counts {
        let errors: Int
        let warnings: Int
        let summary: String

        init(_ findings: [ModelIssue], models: Int) {
            errors = findings.count { $0.severity == .error }
            warnings = findings.count { $0.severity == .warning }
            summary = [(models, "model"), (errors, "error"), (warnings, "warning")]
                .map { Wording.count($0, $1) }.joined(separator: ", ")
        }
    }
}
