// SPDX-License-Identifier: Apache-2.0

// The end of an event: deletions propagate, the undo group closes, observers are notified.

extension ManagedObjectContext {
    /// Applies delete rules, ends the event, and notifies observers. Fetches, saves and the end of each closure call
    /// it.
    public func processPendingChanges() throws(GraphError) {
        confinement.check()
        // A deletion hook may fetch; the rest is processed when all deletions are done.
        guard !isPropagating else { return try deferredErrors.check() }
        // Changes made by observers are reported too, for a limited number of rounds.
        for _ in 0..<Self.roundLimit {
            try deferredErrors.check()
            // A rebase records nothing for undo, so deletions are propagated first.
            try propagateDeletions()
            try dropOutdatedValues()
            undoManager?.endEvent()
            guard !event.isEmpty else { return }
            let ended = event
            event = ContextEvent()
            if hasObservers { notifyObservers(of: .objectsDidChange(ObjectsDidChange(ended))) }
        }
        throw GraphError(
            .endlessChanges,
            "The observers of a context changed objects \(Self.roundLimit) times in a row.",
            hint: "An observer must not change objects endlessly."
        )
    }

    static var roundLimit: Int { 1_000 }
}
