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
        GraphError(.noteTaken, "A note with the key “\(key)” exists already.")
    }

    static func noteUnkept(_ store: UUID) -> GraphError {
        GraphError(.noteUnkept, "The store \(store.uuidString) doesn't support notes.")
    }

    static let noteOfNoStore = GraphError(.noteUnkept, "No store supports notes.")

    static let noteInParent = GraphError(
        .noteUnkept,
        "A child context saves to its parent, which doesn't store notes.",
        hint: "Store the note with the parent's save."
    )

    static let noteAcrossStores = GraphError(
        .noteUnkept,
        "The save affects several stores, one of which can't be saved atomically with others and a note.",
        hint: "Save the changes of each store separately, each with its own note."
    )
}
