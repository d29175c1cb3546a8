// SPDX-License-Identifier: Apache-2.0

/// An exit code of a command, with its meaning, on a help page.
package struct ExitCode: Sendable, Equatable {
    package var code: Int32
    package var meaning: String

    package init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}
