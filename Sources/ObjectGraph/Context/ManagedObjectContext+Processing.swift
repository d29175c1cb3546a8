// SPDX-License-Identifier: Apache-2.0

// The end of an event: deletions propagate, the undo group closes, observers are told.

extension ManagedObjectContext {
    /// Does what is due after some changes. It happens by itself before fetches and saves, and at the end of each closure.
    public func processPendingChanges() throws(GraphError) {
        confinement.check()
        // What observers change is told them in turn, but not without end.
        for _ in 0..<Self.roundLimit {
            settleOvertaken()
            try propagateDeletions()
            undoManager?.endEvent()
            guard !event.isEmpty else { return }
            let changes = ObjectsDidChange(event)
            event = ContextEvent()
            for observer in observers.values { observer(changes) }
        }
        throw GraphError(
            .endlessChanges,
            "The observers of a context changed objects \(Self.roundLimit) times in a row.",
            hint: "An observer that changes objects must come to an end with it."
        )
    }

    static var roundLimit: Int { 1_000 }

    /// Calls a closure with what changed whenever changes are processed, until the observation is removed.
    public func observeChanges(_ observer: @escaping (ObjectsDidChange) -> Void) -> ContextObservation {
        confinement.check()
        lastObservation += 1
        observers[lastObservation] = observer
        return ContextObservation(number: lastObservation)
    }

    public func remove(_ observation: ContextObservation) { observers[observation.number] = nil }
}

/// The observation of a context, by which it is ended.
public struct ContextObservation: Hashable, Sendable {
    let number: Int
}

/// What changed in a context in one event. An object that was inserted and deleted in it is not told of.
public struct ObjectsDidChange {
    public let inserted: [ManagedObject]
    public let updated: [ManagedObject]
    public let deleted: [ManagedObject]
    /// Objects whose values were read anew, or whose relationships others have changed.
    public let refreshed: [ManagedObject]
    /// Whether the context saved, so that fetches may find something else.
    public let includesSave: Bool
    /// Whether the context was reset: all objects that it had before can't be used any more.
    public let invalidatesAll: Bool

    init(_ event: ContextEvent) {
        inserted = event.inserted.members
        updated = event.updated.members
        deleted = event.deleted.members
        refreshed = event.refreshed.members
        includesSave = event.includesSave
        invalidatesAll = event.invalidatesAll
    }
}
