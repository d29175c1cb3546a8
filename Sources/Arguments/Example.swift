// SPDX-License-Identifier: Apache-2.0

/// An example command line on a help page, with its effect.
public struct Example: Sendable, Equatable {
    public var line: String
    public var summary: String

    public init(_ line: String, _ summary: String = "") {
        self.line = line
        self.summary = summary
    }
}
