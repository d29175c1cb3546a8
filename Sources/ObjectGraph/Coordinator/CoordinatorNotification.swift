// SPDX-License-Identifier: Apache-2.0

// Notifications of a coordinator, delivered on any thread.

public import FoundationEssentials

/// A change of a coordinator's stores.
public enum CoordinatorNotification: Sendable {
    /// A save or a batch was written.
    case didSave(SavedObjectIDs)
    /// Another program has written to a store, given by its identifier: any of its objects may have changed.
    case othersDidChange(UUID)
    /// Stores were added or removed, given by their identifiers.
    case storesDidChange(added: [UUID], removed: [UUID])
}

/// The objects that a save or a batch has changed, and its origin.
public struct SavedObjectIDs: Hashable, Sendable {
    public var inserted: [ManagedObjectID]
    public var updated: [ManagedObjectID]
    public var deleted: [ManagedObjectID]
    public var origin: SaveOrigin

    init(_ changes: SavedChanges, from origin: SaveOrigin) {
        inserted = changes.objectIDs(.inserted) + changes.ranges(.inserted).joined()
        updated = changes.objectIDs(.updated) + changes.ranges(.updated).joined()
        deleted = changes.objectIDs(.deleted) + changes.ranges(.deleted).joined()
        self.origin = origin
    }
}

extension PersistentStoreCoordinator {
    /// The notifications from now on, in order, until the sequence is released.
    ///
    ///     for await case .didSave(let changes) in coordinator.notifications() {
    ///         print(changes.inserted.count)
    ///     }
    public func notifications() -> AsyncStream<CoordinatorNotification> {
        let (stream, continuation) = AsyncStream<CoordinatorNotification>.makeStream()
        let number = observers.add { continuation.yield($0) }
        continuation.onTermination = { [observers] _ in observers.remove(number) }
        return stream
    }

    /// Calls a closure with each notification, on the thread that caused it, until the observation is removed.
    public func observe(_ observer: @escaping @Sendable (CoordinatorNotification) -> Void) -> CoordinatorObservation {
        CoordinatorObservation(number: observers.add(observer))
    }

    public func remove(_ observation: CoordinatorObservation) { observers.remove(observation.number) }
}

/// An observation of a coordinator, for removing it.
public struct CoordinatorObservation: Hashable, Sendable {
    let number: Int
}
