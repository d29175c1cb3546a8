// SPDX-License-Identifier: Apache-2.0

/// An exit code of a command, with its meaning, on a help page.
public struct ExitCode: Sendable, Equatable {
    public var code: Int32
    public var meaning: String

    public init(_ code: Int32, _ meaning: String) {
        self.code = code
        self.meaning = meaning
    }
}
