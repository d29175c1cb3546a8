// SPDX-License-Identifier: Apache-2.0

// Why a note can't be kept.

import FoundationEssentials

extension GraphError.Code {
    /// A note whose key has one already, which was kept with another save; nothing was saved.
    public static let noteTaken = GraphError.Code(rawValue: "noteTaken")
    /// A note that can't be kept with what was to be saved; nothing was saved.
    public static let noteUnkept = GraphError.Code(rawValue: "noteUnkept")
}

extension GraphError {
    /// What a store throws where the key of a note has one.
    public static func noteTaken(_ key: String) -> GraphError {
        GraphError(.noteTaken, "There is a note of “\(key)” already.")
    }

    static func noteUnkept(_ store: UUID) -> GraphError {
        GraphError(.noteUnkept, "The store \(store.uuidString) keeps no notes.")
    }

    static let noteOfNoStore = GraphError(.noteUnkept, "There is no store that could keep a note.")

    static let noteInParent = GraphError(
        .noteUnkept,
        "A child context saves into its parent, which keeps no notes.",
        hint: "Keep the note with the parent's save."
    )

    static let noteAcrossStores = GraphError(
        .noteUnkept,
        "What is to be saved is in several stores, one of which can't be written in one step with others and a note.",
        hint: "Save what is in each of them for itself, with a note of its own."
    )
}
