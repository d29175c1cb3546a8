// SPDX-License-Identifier: Apache-2.0

// What a coordinator tells whoever listens, from any thread.

public import FoundationEssentials

/// Something that happened to the stores of a coordinator.
public enum CoordinatorNotification: Sendable {
    /// A save or a batch was written.
    case didSave(SavedObjectIDs)
    /// Another program has written to a store, given by its identifier: any of its objects may be another now.
    case othersDidChange(UUID)
    /// Stores were added or removed, given by their identifiers.
    case storesDidChange(added: [UUID], removed: [UUID])
}

/// The objects that a save or a batch has changed, and who did it.
public struct SavedObjectIDs: Hashable, Sendable {
    public var inserted: [ManagedObjectID]
    public var updated: [ManagedObjectID]
    public var deleted: [ManagedObjectID]
    public var origin: SaveOrigin

    init(_ changes: SavedChanges, _ origin: SaveOrigin) {
        inserted = changes.objectIDs(.inserted) + changes.ranges(.inserted).joined()
        updated = changes.objectIDs(.updated) + changes.ranges(.updated).joined()
        deleted = changes.objectIDs(.deleted) + changes.ranges(.deleted).joined()
        self.origin = origin
    }
}

extension PersistentStoreCoordinator {
    /// What happens to the stores from now on, in its order, until the sequence is let go.
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

    /// Calls a closure with whatever happens to the stores, on the thread where it happens, until the observation is removed.
    public func observe(_ observer: @escaping @Sendable (CoordinatorNotification) -> Void) -> CoordinatorObservation {
        CoordinatorObservation(number: observers.add(observer))
    }

    public func remove(_ observation: CoordinatorObservation) { observers.remove(observation.number) }
}

/// The observation of a coordinator, by which it is ended.
public struct CoordinatorObservation: Hashable, Sendable {
    let number: Int
}
