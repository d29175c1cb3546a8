// SPDX-License-Identifier: Apache-2.0

// A context that lives as long as somebody holds it, and sees what others save.

/// A context for longer work: an editor's draft, a list on a screen.
///
///     let draft = coordinator.liveContext()
///     try await draft.perform { context in
///         try context.insert("Post")
///     }
///
/// What others save is merged at once, unless a closure is at work: then before the next. Objects without changes get the new
/// values, changed ones keep their changes, deleted ones go. `automaticallyMergesChanges` turns that off.
public actor LiveContext {
    private let context: ManagedObjectContext
    private let inbox: ContextInbox

    init(coordinator: PersistentStoreCoordinator) {
        inbox = ContextInbox()
        context = ManagedObjectContext(coordinator, inbox: inbox)
        inbox.notify { [weak self] in await self?.takeIn() }
    }

    /// Runs a closure with the context, one at a time.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try context.entered(body)
    }

    /// What happens in the context from now on, in its order, until the sequence is let go.
    ///
    ///     for await notification in try await draft.notifications() {
    ///         if case .objectsDidChange(let changes) = notification { print(changes.refreshed.count) }
    ///     }
    public func notifications() throws -> AsyncStream<LiveContextNotification> {
        let (stream, continuation) = AsyncStream<LiveContextNotification>.makeStream()
        let observation = try context.entered { context in
            context.observe { continuation.yield(LiveContextNotification($0)) }
        }
        continuation.onTermination = { [weak self] _ in
            Task { await self?.remove(observation) }
        }
        return stream
    }

    private func remove(_ observation: ContextObservation) {
        context.confinement.entered { context.remove(observation) }
    }

    /// Merges what others have saved. What observers make of it can't be told anybody; it is met again by the next closure.
    private func takeIn() { try? context.entered { _ in } }

    /// Merges changes after all that were told of before.
    func merge(_ changes: SavedChanges) throws {
        inbox.put(changes)
        try context.entered { _ in }
    }

    isolated deinit {
        context.end()
    }
}
