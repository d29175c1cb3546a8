// SPDX-License-Identifier: Apache-2.0
// The exit codes at the foot of a help page.

/// An exit code of a command and what it means.
public struct ExitCode: Sendable, Equatable {
    public var code: Int32
    public var meaning: String

    public init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}
