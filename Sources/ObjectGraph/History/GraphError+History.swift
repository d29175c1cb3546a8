// SPDX-License-Identifier: Apache-2.0

// Errors of histories.

import FoundationEssentials

extension GraphError.Code {
    /// The history doesn't reach back to the position any more.
    public static let historyTrimmed = GraphError.Code(rawValue: "historyTrimmed")
    /// No store keeps a history.
    public static let historyUnkept = GraphError.Code(rawValue: "historyUnkept")
    /// The store has no consumer of this name.
    public static let unknownConsumer = GraphError.Code(rawValue: "unknownConsumer")
}

extension GraphError {
    /// Thrown by a store for a position whose successors were trimmed.
    public static let historyTrimmed = GraphError(
        .historyTrimmed,
        "The history after this token was trimmed.",
        hint: "Read the objects again, with a new token read first."
    )

    /// Thrown by a store for a position that its history hasn't reached.
    public static let historyReplaced = GraphError(
        .historyTrimmed,
        "The token is newer than the history: the store was replaced, such as by a backup.",
        hint: "Read the objects again, with a new token read first."
    )

    static let historyUnkept = GraphError(.historyUnkept, "No store keeps a history.")

    static func unknownConsumer(_ name: String) -> GraphError {
        GraphError(.unknownConsumer, "The history has no consumer “\(name)”.")
    }
}
