// SPDX-License-Identifier: Apache-2.0

// A context that lives as long as somebody holds it, and sees what others save.

/// A context for longer work: an editor's draft, a list on a screen.
///
///     let draft = coordinator.liveContext()
///     try await draft.perform { context in
///         try context.insert("Post")
///     }
///
/// What others save meanwhile is merged whenever the context is used: objects without changes get the new values, changed
/// ones keep their changes, deleted ones go.
public actor LiveContext {
    private let context: ManagedObjectContext
    private let inbox: ContextInbox

    init(coordinator: PersistentStoreCoordinator) {
        inbox = ContextInbox()
        context = ManagedObjectContext(
            model: coordinator.model,
            source: StoreSource(coordinator: coordinator, inbox: inbox)
        )
        coordinator.live.add(inbox)
    }

    /// Runs a closure with the context, one at a time.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try context.entered(body)
    }

    /// Merges changes after all that were told of before.
    func merge(_ changes: SavedChanges) throws {
        inbox.put(changes)
        try context.entered { _ in }
    }

    isolated deinit {
        context.end()
    }
}
