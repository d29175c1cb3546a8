// SPDX-License-Identifier: Apache-2.0

/// An example command line on a help page, with its effect.
package struct Example: Sendable, Equatable {
    package var line: String
    package var summary: String

    package init(_ line: String, _ summary: String = "") {
        self.line = line
        self.summary = summary
    }
}
