// SPDX-License-Identifier: Apache-2.0

// Errors of notes.

import FoundationEssentials

extension GraphError.Code {
    /// The key of a note is taken by another save; nothing was saved.
    public static let noteTaken = GraphError.Code(rawValue: "noteTaken")
    /// A note can't be kept with the save; nothing was saved.
    public static let noteUnkept = GraphError.Code(rawValue: "noteUnkept")
}

extension GraphError {
    /// Thrown by a store if the key of a note is taken.
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
