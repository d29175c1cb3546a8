// SPDX-License-Identifier: Apache-2.0

// Changes by other processes, known only by ID or not at all, and their merge into contexts.

import FoundationEssentials
import Synchronization

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
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

extension PersistentStoreCoordinator {
    /// Changes given by URIs, without those that name no object of these stores.
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

    /// Merges changes that contexts weren't notified of, and waits for these contexts. All other contexts read changed
    /// rows again when they next need them.
    public func mergeChanges(_ remote: RemoteChanges, into contexts: [LiveContext]) async throws {
        var changes = SavedChanges()
        changes.add(remote.inserted, as: .inserted)
        changes.add(remote.updated, as: .updated)
        changes.add(remote.deleted, as: .deleted)
        guard !changes.isEmpty else { return }
        rowCache.record(changes)
        changeCounters.count(changes, entities(of:))
        commitObservers.notify(of: changes, at: nil)
        for context in contexts { try await context.merge(changes) }
    }

    /// Merges what others have written to a store into the row cache and the contexts.
    func adopt(_ writes: OtherWrites, in identifier: UUID) {
        guard case .transactions(let transactions) = writes else { return invalidateRows(of: identifier) }
        guard store(identifier) != nil else { return }
        for transaction in transactions {
            let origin = SaveOrigin(contextName: transaction.contextName, author: transaction.author)
            let position = CommitPosition(store: identifier, transaction: transaction.number)
            publish(SavedChanges(transaction), of: origin, at: position, except: nil)
        }
        observers.deliver()
    }

    /// Whether other processes have written something that isn't in the row cache and the contexts yet. Cheap.
    public var hasUnnoticedWrites: Bool { attached.withLock { $0.contains(where: \.store.hasUnnoticedWrites) } }

    /// Adopts what other processes have written until now: a read that follows isn't older. It is called at the begin of
    /// contexts and readers.
    public func noticeOtherWriters() {
        // The write that calls the closure may be what the notification waits for.
        guard hasUnnoticedWrites, !StoreCallback.isRunning else { return }
        for store in stores where store.hasUnnoticedWrites { store.noticeOtherWriters() }
    }

    /// Marks everything of a store to be read again, since others have written to it and any row may have changed.
    func invalidateRows(of identifier: UUID) {
        guard store(identifier) != nil else { return }
        var changes = SavedChanges([.unknownStore(identifier)])
        changes.source = .other
        rowCache.removeAll()
        changeCounters.count(changes, entities(of:))
        commitObservers.notify(of: changes, at: nil)
        observers.enqueue { .othersDidChange(identifier) }
        live.notify(of: changes, except: nil)
        observers.deliver()
    }
}
