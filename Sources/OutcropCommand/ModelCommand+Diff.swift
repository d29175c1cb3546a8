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
    private static let new = Argument<String>("NEW", "The model they are to have.", completion: ModelFiles.completion)

    static let diff = Command<Action>(
        "diff",
        "Say how two models differ, and whether stores can follow.",
        discussion: """
            Lists what was added, removed, renamed and changed, and what stands in the way of a lightweight migration, by
            which a store is brought from the one to the other without any code.
            """,
        examples: [Example("outcrop model diff 'App.xcdatamodeld/App 2.xcdatamodel' App.xcdatamodeld")],
        exitCodes: [
            ExitCode(0, "The models are the same, or lightweight migration leads from the one to the other."),
            ExitCode(1, "It does not, or a file can't be read."), ExitCode(2, "The command line is wrong."),
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
