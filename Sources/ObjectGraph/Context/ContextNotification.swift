// SPDX-License-Identifier: Apache-2.0

// Notifications of a context: with objects inside its closures, with IDs elsewhere.

/// A notification of a context.
public enum ContextNotification {
    /// Changes were processed.
    case objectsDidChange(ObjectsDidChange)
    /// A save begins. Changes made by the observer are saved with it.
    case willSave
    /// A save was written. Deleted objects still have their last values.
    case didSave(ObjectsDidSave)
}

/// What changed in a context in one event. Objects that were both inserted and deleted in it are left out.
public struct ObjectsDidChange {
    public let inserted: [ManagedObject]
    /// Objects whose values were set, and new ones with derived values computed by a save.
    public let updated: [ManagedObject]
    public let deleted: [ManagedObject]
    /// Objects whose values were read again, or whose relationships others have changed.
    public let refreshed: [ManagedObject]
    let renamed: [ManagedObject]
    /// Whether the context saved, so that fetches may return other results.
    public let includesSave: Bool
    /// Whether others have changed the stores in unknown ways, so that fetches may return other results.
    public let isIncomplete: Bool
    /// Whether the context was reset; its former objects can't be used any more.
    public let invalidatesAll: Bool

    init(_ event: ContextEvent) {
        inserted = event.inserted.members
        updated = event.updated.members
        deleted = event.deleted.members
        refreshed = event.refreshed.members
        renamed = event.renamed.members
        includesSave = event.includesSave
        isIncomplete = event.isIncomplete
        invalidatesAll = event.invalidatesAll
    }
}

/// What a context has saved.
public struct ObjectsDidSave {
    public let inserted: [ManagedObject]
    public let updated: [ManagedObject]
    public let deleted: [ManagedObject]
}

extension ManagedObjectContext {
    /// Calls a closure with the context's notifications until the observation is removed.
    public func observe(_ observer: @escaping (ContextNotification) -> Void) -> ContextObservation {
        confinement.check()
        lastObservation += 1
        observers[lastObservation] = observer
        return ContextObservation(number: lastObservation)
    }

    /// Calls a closure with the changes whenever they are processed, until the observation is removed.
    public func observeChanges(_ observer: @escaping (ObjectsDidChange) -> Void) -> ContextObservation {
        observe { if case .objectsDidChange(let changes) = $0 { observer(changes) } }
    }

    public func remove(_ observation: ContextObservation) {
        confinement.check()
        observers[observation.number] = nil
    }

    var hasObservers: Bool { familyObserver != nil || !observers.isEmpty }

    /// Notifies the observers, in the order of their registration.
    func notifyObservers(of notification: ContextNotification) {
        familyObserver?(notification)
        guard !observers.isEmpty else { return }
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer(notification) }
    }
}

/// An observation of a context, for removing it.
public struct ContextObservation: Hashable, Sendable {
    let number: Int
}

/// A notification of a live context, in a form that can leave it.
public enum LiveContextNotification: Hashable, Sendable {
    case objectsDidChange(ObjectIDChanges)
    case willSave
    case didSave(ObjectIDChanges)

    init(_ notification: ContextNotification) {
        self =
            switch notification {
            case .objectsDidChange(let changes):
                .objectsDidChange(
                    ObjectIDChanges(
                        inserted: changes.inserted.map(\.objectID),
                        updated: changes.updated.map(\.objectID),
                        deleted: changes.deleted.map(\.objectID),
                        refreshed: changes.refreshed.map(\.objectID)
                    )
                )
            case .willSave: .willSave
            case .didSave(let saved):
                .didSave(
                    ObjectIDChanges(
                        inserted: saved.inserted.map(\.objectID),
                        updated: saved.updated.map(\.objectID),
                        deleted: saved.deleted.map(\.objectID)
                    )
                )
            }
    }
}

/// The IDs of objects by what happened to them.
public struct ObjectIDChanges: Hashable, Sendable {
    public var inserted: [ManagedObjectID]
    public var updated: [ManagedObjectID]
    public var deleted: [ManagedObjectID]
    /// Objects whose values were read again, mostly because others have saved them.
    public var refreshed: [ManagedObjectID]

    public init(
        inserted: [ManagedObjectID] = [],
        updated: [ManagedObjectID] = [],
        deleted: [ManagedObjectID] = [],
        refreshed: [ManagedObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
    }
}
