// SPDX-License-Identifier: Apache-2.0

// The running calls of `prepareForDeletion`. Hooks that delete and insert objects, which run more hooks, end at a limit
// with an error.

/// Keeps the hooks of deletions from running forever.
///
/// 1. An object whose hook runs is being deleted: deleting it again does nothing.
/// 2. Nested hooks run on one stack up to a depth limit; beyond it, objects wait until the outermost hook has returned.
/// 3. Each hook runs for an object that wasn't deleted before. So hooks can run forever only by inserting or restoring
///    objects that are deleted in turn and whose own hooks do the same: such insertions are limited.
struct DeletionHooks {
    /// The objects whose hooks are running, the innermost last.
    private var running: [ManagedObject] = []
    private var waiting: [ManagedObject] = []
    /// The objects that hooks have inserted or restored since the outermost deletion began.
    private var insertedByHooks: Set<ManagedObject> = []
    private var nestedInsertionCount = 0

    private static let depthLimit = 50
    private static let insertionLimit = 10_000

    var isRunning: Bool { !running.isEmpty }

    /// Begins the hook of an object; false if it must not be called now.
    mutating func begin(_ object: ManagedObject) -> Bool {
        guard !running.contains(where: { $0 === object }) else { return false }
        guard running.count < Self.depthLimit else {
            waiting.append(object)
            return false
        }
        running.append(object)
        return true
    }

    /// Ends the innermost hook.
    mutating func end() { running.removeLast() }

    /// Dequeues the next object that waits for its hook, if none is running.
    mutating func dequeueWaiting() -> ManagedObject? {
        running.isEmpty && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    /// Records an object that is inserted or restored.
    mutating func insert(_ object: ManagedObject) throws(GraphError) {
        guard let current = running.last else { return }
        if insertedByHooks.contains(current) {
            nestedInsertionCount += 1
            guard nestedInsertionCount <= Self.insertionLimit else { throw .endlessDeletion(current.entity) }
        }
        insertedByHooks.insert(object)
    }

    /// Forgets the insertions of hooks when all deletions are done.
    mutating func finish() {
        insertedByHooks = []
        nestedInsertionCount = 0
    }
}

extension GraphError {
    fileprivate static func endlessDeletion(_ entity: EntityDescription) -> GraphError {
        GraphError(
            .endlessChanges,
            "prepareForDeletion() of \(entity.name) endlessly inserts objects that are deleted in turn.",
            hint: "Don't insert objects there that are deleted with the object. Roll back the context to continue."
        )
    }
}
