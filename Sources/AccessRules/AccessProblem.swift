// SPDX-License-Identifier: Apache-2.0

package import SourceText

/// A mistake in an access file.
package struct AccessProblem: Error, Hashable, Sendable {
    /// The line and column, or nil for the file as a whole.
    package var position: TextPosition?
    /// The names of the members that contain it: `rules.Post.read.member`.
    package var path: String
    package var message: String
    package var hint: String?

    package init(_ message: String, at path: String = "", position: TextPosition? = nil, hint: String? = nil) {
        self.message = message
        self.path = path
        self.position = position
        self.hint = hint
    }

    /// The mistake as a line: `access.json:12:5: rules.Post.read: …`
    package func line(in file: String) -> String {
        let place = position.map { "\(file):\($0)" } ?? file
        return ([place, path].filter { !$0.isEmpty } + [message]).joined(separator: ": ")
            + (hint.map { " \($0)" } ?? "")
    }
}

/// All mistakes in an access file.
package struct AccessProblems: Error, Hashable, Sendable {
    package let problems: [AccessProblem]

    package init(_ problems: [AccessProblem]) { self.problems = problems }
}
