// SPDX-License-Identifier: Apache-2.0

// What somebody else did to the stores, of which only names are known or not even these, and how contexts are told of it.

import FoundationEssentials

/// The objects that were changed by another process, or by a batch.
///
///     let changes = RemoteChanges(updated: ids)
///     try await coordinator.mergeChanges(changes, into: [draft])
public struct RemoteChanges: Hashable, Sendable {
    public var inserted: [ManagedObjectID]
    public var updated: [ManagedObjectID]
    public var deleted: [ManagedObjectID]

    public init(
        inserted: [ManagedObjectID] = [],
        updated: [ManagedObjectID] = [],
        deleted: [ManagedObjectID] = []
    ) {
        (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
    }
}

extension PersistentStoreCoordinator {
    /// Changes told by URIs. Those that name no object of the stores here are left out.
    public func remoteChanges(
        insertedURIs: [String] = [],
        updatedURIs: [String] = [],
        deletedURIs: [String] = []
    ) -> RemoteChanges {
        RemoteChanges(
            inserted: insertedURIs.compactMap(objectID(forURI:)),
            updated: updatedURIs.compactMap(objectID(forURI:)),
            deleted: deletedURIs.compactMap(objectID(forURI:))
        )
    }

    /// Tells contexts of changes that they can't have heard of, and waits until they have merged them. All others read the
    /// changed rows anew, too, where they haven't them yet.
    public func mergeChanges(_ remote: RemoteChanges, into contexts: [LiveContext]) async throws {
        var changes = SavedChanges()
        changes.add(remote.inserted, as: .inserted)
        changes.add(remote.updated, as: .updated)
        changes.add(remote.deleted, as: .deleted)
        guard !changes.isEmpty else { return }
        rowCache.record(changes)
        changeCounters.count(changes, entities(of:))
        for context in contexts { try await context.merge(changes) }
    }

    /// Has everything read anew of a store to which others have written: any row may be another now.
    func takeInChanges(of identifier: UUID) {
        guard store(identifier) != nil else { return }
        var changes = SavedChanges([.unknownStore(identifier)])
        changes.source = .other
        rowCache.removeAll()
        changeCounters.count(changes, entities(of:))
        observers.put { .othersDidChange(identifier) }
        live.tell(changes, except: nil)
        observers.deliver()
    }
}
