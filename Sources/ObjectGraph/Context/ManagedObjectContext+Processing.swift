// SPDX-License-Identifier: Apache-2.0

// The end of an event: deletions propagate, the undo group closes, observers are told.

extension ManagedObjectContext {
    /// Does what is due after some changes. It happens by itself before fetches and saves, and at the end of each closure.
    public func processPendingChanges() throws(GraphError) {
        confinement.check()
        // A hook of a deletion that fetches: the rest is done when all deletions are.
        guard !isPropagating else { return try deferredErrors.check() }
        // What observers change is told them in turn, but not without end.
        for _ in 0..<Self.roundLimit {
            try deferredErrors.check()
            // A rebase records nothing for undo, so what deletions lead to comes first.
            try propagateDeletions()
            try settleOvertaken()
            undoManager?.endEvent()
            guard !event.isEmpty else { return }
            let changes = ObjectsDidChange(event)
            event = ContextEvent()
            tell(.objectsDidChange(changes))
        }
        throw GraphError(
            .endlessChanges,
            "The observers of a context changed objects \(Self.roundLimit) times in a row.",
            hint: "An observer that changes objects must come to an end with it."
        )
    }

    static var roundLimit: Int { 1_000 }
}
