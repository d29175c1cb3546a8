// SPDX-License-Identifier: Apache-2.0

// A context that lives as long as it is referenced and merges what others save.

/// A context for longer work, such as an editor's draft or a list on a screen.
///
///     let draft = coordinator.liveContext()
///     try await draft.perform { context in
///         try context.insert("Post")
///     }
///
/// What others save is merged at once, or before the next closure if one is running. Unchanged objects get the new
/// values, changed ones keep their changes, deleted ones are removed. `automaticallyMergesChanges` turns this off.
public actor LiveContext {
    private let context: ManagedObjectContext
    private let inbox: ContextInbox
    private let coordinator: PersistentStoreCoordinator

    init(coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
        inbox = ContextInbox()
        context = ManagedObjectContext(coordinator, inbox: inbox)
        inbox.onArrival { [weak self] in await self?.mergeInbox() }
    }

    /// Runs a closure with the context, one at a time.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        coordinator.noticeOtherWriters()
        return try context.performAndProcess(body)
    }

    /// The context's notifications from now on, in order, until the sequence is released.
    ///
    ///     for await notification in try await draft.notifications() {
    ///         if case .objectsDidChange(let changes) = notification { print(changes.refreshed.count) }
    ///     }
    public func notifications() throws -> AsyncStream<LiveContextNotification> {
        let (stream, continuation) = AsyncStream<LiveContextNotification>.makeStream()
        let observation = try context.performAndProcess { context in
            context.observe { continuation.yield(LiveContextNotification($0)) }
        }
        continuation.onTermination = { [weak self] _ in
            Task { await self?.remove(observation) }
        }
        return stream
    }

    private func remove(_ observation: ContextObservation) {
        context.confinement.withAccess { context.remove(observation) }
    }

    /// Merges what others have saved. An error can't be reported here; the next closure throws it.
    private func mergeInbox() { try? context.performAndProcess { _ in } }

    /// Merges changes after those already received.
    func merge(_ changes: SavedChanges) throws {
        inbox.enqueue(changes)
        try context.performAndProcess { _ in }
    }

    isolated deinit {
        context.end()
    }
}
