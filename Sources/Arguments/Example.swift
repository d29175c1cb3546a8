// SPDX-License-Identifier: Apache-2.0
// The examples at the foot of a help page.

/// A command line worth showing, and what it does.
public struct Example: Sendable, Equatable {
    public var line: String
    public var summary: String

    public init(_ line: String, _ summary: String = "") {
        self.line = line
        self.summary = summary
    }
}
