// SPDX-License-Identifier: Apache-2.0

// `outcrop model diff`

import Arguments
import JSON
import ObjectModel

extension ModelCommand {
    private static let old = Argument<String>(
        "OLD",
        "The model that stores have now.",
        completion: ModelFiles.completion
    )
    private static let new = Argument<String>(
        "NEW",
        "The model that they should have.",
        completion: ModelFiles.completion
    )

    static let diff = Command<Action>(
        "diff",
        "List how two models differ, and whether stores can be migrated.",
        discussion: """
            Lists what was added, removed, renamed and changed, and what prevents a lightweight migration, which needs no
            code.
            """,
        examples: [Example("outcrop model diff 'App.xcdatamodeld/App 2.xcdatamodel' App.xcdatamodeld")],
        exitCodes: [
            ExitCode(0, "The models are the same, or lightweight migration from the old to the new one is possible."),
            ExitCode(1, "Lightweight migration isn't possible, or a file can't be read."),
            ExitCode(2, "The command line is invalid."),
        ],
        parameters: [old, new]
    ) { parsed, _ in
        let versions = try [parsed[old], parsed[new]].map { try ModelFiles.read($0).current }
        // An unreadable part of a model is not a difference if both models have it.
        if !versions[0].isRead(as: versions[1]) {
            for (path, version) in zip([parsed[old], parsed[new]], versions) {
                try ModelFiles.requireComplete(version, at: path)
            }
        }
        return ModelDiff(from: versions[0].model, to: versions[1].model).report
    }
}

extension ModelVersion {
    /// Whether reading another version gave the same model and the same issues.
    fileprivate func isRead(as other: ModelVersion) -> Bool {
        func unplaced(_ issues: [ModelIssue]) -> [ModelIssue] {
            issues.map { issue in
                var issue = issue
                issue.place.file = nil
                return issue
            }
        }
        return unreadable == nil && model == other.model && unplaced(issues) == unplaced(other.issues)
    }
}
